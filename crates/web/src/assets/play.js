// The board of a game: pieces are moved by clicks or by dragging, and clocks run. Without it, moves are chosen from the list.
"use strict";
(() => {
  const page = document.getElementById("play-game");
  if (!page) return;

  let chosen = null;
  let isBusy = false;

  const board = () => document.querySelector("#board.can-move svg.board");
  const moves = () => [...document.querySelectorAll("#move option")].map((option) => option.value).filter((value) => value);

  // Moves are written as the squares they begin and end on, and a letter for a promotion.
  const squaresOf = (move) => {
    const found = move.match(/^([a-z]\d+)([a-z]\d+)(.*)$/);
    return found ? { move, from: found[1], to: found[2], rest: found[3] } : null;
  };
  const parsed = () => moves().map(squaresOf).filter((move) => move);

  // The squares stand row by row from the top, as White sees them, however the board is turned.
  const squares = () => {
    const svg = board();
    if (!svg) return [];
    const rects = [...svg.querySelectorAll("rect.light, rect.dark")];
    const columns = new Set(rects.map((rect) => rect.getAttribute("x"))).size;
    const rows = rects.length / columns;
    return rects.map((rect, place) => ({
      rect,
      name: String.fromCharCode(97 + (place % columns)) + String(rows - Math.floor(place / columns)),
    }));
  };

  const squareAt = (x, y) => {
    const isAt = ({ rect }) => {
      const box = rect.getBoundingClientRect();
      return x >= box.left && x < box.right && y >= box.top && y < box.bottom;
    };
    return squares().find(isAt);
  };

  const choose = (name) => {
    chosen = name;
    const targets = new Set(parsed().filter((move) => move.from === name).map((move) => move.to));
    for (const { rect, name: square } of squares()) {
      rect.classList.toggle("from", square === name);
      rect.classList.toggle("target", targets.has(square));
    }
    if (targets.size === 0) chosen = null;
  };

  const show = (html) => {
    const isOpen = document.getElementById("engine-line")?.open;
    page.innerHTML = html;
    chosen = null;
    const line = document.getElementById("engine-line");
    if (line && isOpen) line.open = true;
    startClock();
  };

  const say = (text) => {
    const state = page.querySelector(".outcome");
    if (state) state.textContent = text;
  };

  const reload = async () => {
    const address = new URL(location.href);
    address.searchParams.set("fragment", "1");
    const response = await fetch(address, { credentials: "same-origin" });
    if (!response.ok) throw new Error(response.statusText);
    show(await response.text());
  };

  // Sends a form, and shows the game afterwards without loading the whole page.
  const send = async (form, fields) => {
    if (isBusy) return;
    isBusy = true;
    say("The engine thinks…");
    try {
      const response = await fetch(form.action, { method: "POST", body: new URLSearchParams(fields), credentials: "same-origin" });
      if (!response.ok) {
        const answer = new DOMParser().parseFromString(await response.text(), "text/html");
        const reason = answer.querySelector(".error")?.textContent || response.statusText;
        await reload();
        say(reason);
        return;
      }
      await reload();
    } catch {
      location.reload();
    } finally {
      isBusy = false;
    }
  };

  const play = (from, to) => {
    const fitting = parsed().filter((move) => move.from === from && move.to === to);
    if (fitting.length === 0) return false;
    let move = fitting[0];
    if (fitting.length > 1) {
      const letters = fitting.map((other) => other.rest).join(", ");
      const letter = window.prompt(`Promote to: ${letters}`, move.rest);
      move = fitting.find((other) => other.rest === (letter || "").trim().toLowerCase());
      if (!move) return true;
    }
    const form = document.getElementById("move-form");
    const fields = new FormData(form);
    fields.set("move", move.move);
    send(form, fields);
    return true;
  };

  let pressed = null;
  page.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || isBusy || !event.target.closest("#board.can-move svg")) return;
    const square = squareAt(event.clientX, event.clientY);
    if (!square) return;
    event.preventDefault();
    if (chosen && play(chosen, square.name)) return;
    pressed = square.name;
    choose(square.name);
  });
  page.addEventListener("pointerup", (event) => {
    const square = pressed && squareAt(event.clientX, event.clientY);
    if (square && square.name !== pressed && chosen) play(pressed, square.name);
    pressed = null;
  });

  page.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.action.endsWith("/end")) return;
    event.preventDefault();
    send(form, new FormData(form));
  });

  let clock = 0;
  const startClock = () => {
    clearInterval(clock);
    const running = page.querySelector(".clock[data-left]");
    if (!running) return;
    const end = performance.now() + Number(running.dataset.left);
    clock = setInterval(() => {
      const seconds = Math.max(0, Math.floor((end - performance.now()) / 1000));
      running.querySelector("span").textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
      if (performance.now() > end) {
        clearInterval(clock);
        reload().catch(() => {});
      }
    }, 250);
  };
  startClock();
})();
