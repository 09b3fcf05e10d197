// What charts, tables and boards do by script. Everything can be read without it: notes are also titles of shapes, tables are
// in a useful order, and boards are stepped through by links. Reports contain this script too.
"use strict";
(() => {
  const svg = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);
  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  // Notes at the pointer, at once instead of after a second.
  const tip = element("div", "tip");
  tip.hidden = true;
  const showTip = (text, event) => {
    if (!tip.isConnected) document.body.append(tip);
    tip.textContent = text;
    tip.hidden = false;
    const left = Math.min(event.pageX + 14, window.scrollX + document.documentElement.clientWidth - tip.offsetWidth - 8);
    tip.style.left = Math.max(4, left) + "px";
    tip.style.top = event.pageY + 16 + "px";
  };
  const hideTip = () => { tip.hidden = true; };
  document.addEventListener("pointermove", (event) => {
    const shape = event.target.closest && event.target.closest("figure.chart svg :is(circle, rect, text, polyline)");
    if (shape) {
      const title = shape.querySelector("title");
      // The browser's own note would cover ours.
      if (title) {
        shape.dataset.note = title.textContent;
        shape.setAttribute("aria-label", title.textContent);
        title.remove();
      }
      if (shape.dataset.note) return showTip(shape.dataset.note, event);
    }
    if (!event.target.closest || !event.target.closest("canvas.squares")) hideTip();
  });

  // Lattices: a feature's parents, and what was made from it.
  const centre = (shape) => {
    const box = shape.getBBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const numbersOf = (shape) => shape.dataset.parents.split(" ").filter(Boolean);
  const noteOf = (shape) => shape.dataset.note || (shape.querySelector("title") || {}).textContent || "";
  const nameOf = (shape) => noteOf(shape).split("\n")[0];
  const showNeighbours = (figure, number) => {
    const nodes = new Map([...figure.querySelectorAll("[data-node]")].map((shape) => [shape.dataset.node, shape]));
    const chosen = nodes.get(number);
    if (!chosen) return;
    figure.querySelectorAll("polyline.near").forEach((line) => line.remove());
    nodes.forEach((shape) => shape.classList.remove("near"));
    const parents = numbersOf(chosen).filter((parent) => nodes.has(parent));
    const children = [...nodes.keys()].filter((other) => numbersOf(nodes.get(other)).includes(number));
    for (const other of [...parents, ...children]) {
      const line = svg("polyline");
      line.setAttribute("class", "near");
      line.setAttribute("points", [centre(chosen), centre(nodes.get(other))].map((at) => at.join(",")).join(" "));
      const drawing = chosen.ownerSVGElement;
      drawing.insertBefore(line, drawing.querySelector("a"));
      nodes.get(other).classList.add("near");
    }
    chosen.classList.add("near");
    const panel = figure.querySelector(".neighbours");
    panel.textContent = noteOf(chosen) + "\n";
    for (const [words, group] of [["made from ", parents], ["extended to ", children]]) {
      if (!group.length) continue;
      panel.append(words);
      for (const other of group) {
        const button = element("button", "", nameOf(nodes.get(other)));
        button.type = "button";
        button.dataset.neighbour = other;
        panel.append(button, " ");
      }
      panel.append("\n");
    }
    const row = element("a", "", "its row in the ranking");
    row.href = chosen.parentNode.getAttribute("href");
    panel.append(row);
  };
  document.addEventListener("click", (event) => {
    const shape = event.target.closest("figure[data-chart=lattice] [data-node]");
    const button = event.target.closest("[data-neighbour]");
    if (shape) {
      event.preventDefault();
      showNeighbours(shape.closest("figure"), shape.dataset.node);
    } else if (button) {
      showNeighbours(button.closest("figure"), button.dataset.neighbour);
    }
  });
  document.addEventListener("keydown", (event) => {
    const link = event.key === "Enter" && event.target.closest("figure[data-chart=lattice] svg a");
    if (!link) return;
    event.preventDefault();
    showNeighbours(link.closest("figure"), link.querySelector("[data-node]").dataset.node);
  });

  // Tables of squares: sorted and explained on a canvas. The pixels of the picture are the data.
  const stateOf = (red, green, alpha) => alpha === 0 ? "not solved" : red === 0 ? "solved" : green === 0x99 ? "not tried" : "excluded";
  const makeSquares = (figure) => {
    const image = figure.querySelector("img.squares");
    if (!image || figure.dataset.made) return;
    figure.dataset.made = "1";
    const rows = JSON.parse(figure.dataset.rows), columns = JSON.parse(figure.dataset.columns);
    const picture = document.createElement("canvas");
    [picture.width, picture.height] = [columns.length, rows.length];
    const pen = picture.getContext("2d", { willReadFrequently: true });
    pen.drawImage(image, 0, 0, columns.length, rows.length);
    const source = pen.getImageData(0, 0, columns.length, rows.length);
    const words = new Uint32Array(source.data.buffer);
    const state = (row, column) => {
      const at = 4 * (row * columns.length + column);
      return stateOf(source.data[at], source.data[at + 1], source.data[at + 3]);
    };
    const isSolved = (row, column) => state(row, column) === "solved";
    const range = (count) => Array.from({ length: count }, (_, index) => index);
    const order = { rows: range(rows.length), columns: range(columns.length) };
    const canvas = element("canvas", "squares");
    [canvas.width, canvas.height] = [Number(image.getAttribute("width")), Number(image.getAttribute("height"))];
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", image.alt);
    const draw = () => {
      const sorted = pen.createImageData(columns.length, rows.length);
      const target = new Uint32Array(sorted.data.buffer);
      order.rows.forEach((row, y) => order.columns.forEach((column, x) => { target[y * columns.length + x] = words[row * columns.length + column]; }));
      pen.putImageData(sorted, 0, 0);
      const screen = canvas.getContext("2d");
      screen.imageSmoothingEnabled = false;
      screen.clearRect(0, 0, canvas.width, canvas.height);
      screen.drawImage(picture, 0, 0, canvas.width, canvas.height);
    };
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      const clamp = (place, count) => Math.min(count - 1, Math.max(0, Math.floor(place)));
      return [order.rows[clamp((event.clientY - box.top) / box.height * rows.length, rows.length)],
        order.columns[clamp((event.clientX - box.left) / box.width * columns.length, columns.length)]];
    };
    canvas.addEventListener("pointermove", (event) => {
      const [row, column] = at(event);
      showTip(rows[row] + "\n" + columns[column] + ": " + state(row, column), event);
    });
    canvas.addEventListener("pointerleave", hideTip);
    // A click brings the problems that this feature solves to the front.
    canvas.addEventListener("click", (event) => {
      const [row] = at(event);
      order.columns.sort((one, other) => isSolved(row, other) - isSolved(row, one) || one - other);
      draw();
    });
    const byName = (names) => (one, other) => names[one].localeCompare(names[other], undefined, { numeric: true });
    const bar = element("p", "row");
    for (const [what, names] of [["rows", rows], ["columns", columns]]) {
      const label = element("label", "", what === "rows" ? "Features " : "Problems ");
      const select = document.createElement("select");
      [["most solved first", (one, other) => one - other], ["fewest solved first", (one, other) => other - one], ["by name", byName(names)]]
        .forEach(([words, compare]) => {
          const option = element("option", "", words);
          option.compare = compare;
          select.append(option);
        });
      select.addEventListener("change", () => {
        order[what].sort(select.selectedOptions[0].compare);
        draw();
      });
      label.append(select);
      bar.append(label);
    }
    bar.append(element("span", "hint", "A click on a row brings the problems that it solves to the front."));
    image.parentNode.before(bar);
    image.replaceWith(canvas);
    draw();
  };
  const prepareSquares = (figure) => {
    const image = figure.querySelector("img.squares");
    if (!image) return;
    if (image.complete) makeSquares(figure);
    else image.addEventListener("load", () => makeSquares(figure), { once: true });
  };

  // Tables: a click on a heading sorts.
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    if (!cell) return "";
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    const text = cell.textContent.trim(), number = Number(text.replace(/[,+%]/g, "").trim());
    return text !== "" && Number.isFinite(number) ? number : text;
  };
  const compare = (one, other) => {
    if (typeof one === "number" && typeof other === "number") return one - other;
    if (typeof one === "number") return 1;
    if (typeof other === "number") return -1;
    return one.localeCompare(other, undefined, { numeric: true });
  };
  const sortBy = (heading) => {
    const table = heading.closest("table"), body = table.tBodies[0], column = heading.cellIndex;
    const isDown = heading.getAttribute("aria-sort") !== "descending";
    table.querySelectorAll("th[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", isDown ? "descending" : "ascending");
    const rows = [...body.rows].map((row) => [row, valueOf(row, column)]);
    rows.sort(([, one], [, other]) => isDown ? compare(other, one) : compare(one, other));
    body.append(...rows.map(([row]) => row));
  };
  const prepareTable = (table) => {
    if (table.tBodies.length !== 1 || table.tBodies[0].rows.length < 2) return;
    for (const heading of table.tHead.rows[0].cells) {
      if (heading.querySelector("a, button")) continue;
      heading.classList.add("sorts");
      heading.tabIndex = 0;
    }
  };
  document.addEventListener("click", (event) => {
    const heading = event.target.closest("table.sortable th.sorts");
    if (heading) sortBy(heading);
  });
  document.addEventListener("keydown", (event) => {
    const heading = (event.key === "Enter" || event.key === " ") && event.target.closest("table.sortable th.sorts");
    if (!heading) return;
    event.preventDefault();
    sortBy(heading);
  });

  // Games: links of the viewer change the page in place, and the arrow keys follow them.
  const follow = async (link) => {
    const viewer = document.getElementById("game-viewer");
    const address = new URL(link.href);
    const step = link.dataset.step;
    const fragment = new URL(address);
    fragment.searchParams.set("fragment", "1");
    try {
      const reply = await fetch(fragment);
      if (!reply.ok) throw new Error(reply.statusText);
      viewer.innerHTML = await reply.text();
      history.replaceState(null, "", address);
      const current = viewer.querySelector("ol.moves [aria-current]");
      if (current) current.scrollIntoView({ block: "nearest" });
      const same = step && viewer.querySelector(`a[data-step="${step}"]`);
      if (same) same.focus({ preventScroll: true });
    } catch {
      location.href = address;
    }
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("#game-viewer :is(.steps, ol.moves) a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    follow(link);
  });
  document.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", f: "flip" };
    const link = steps[event.key] && document.querySelector(`#game-viewer a[data-step=${steps[event.key]}]`);
    if (!link || event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    follow(link);
  });

  const prepare = (part) => {
    part.querySelectorAll("figure[data-chart=matrix]").forEach(prepareSquares);
    part.querySelectorAll("table.sortable").forEach(prepareTable);
  };
  const start = () => {
    prepare(document);
    // Pages of runs that go on are replaced in parts.
    new MutationObserver((changes) => {
      const parts = new Set(changes.filter((change) => change.addedNodes.length).map((change) => change.target));
      parts.forEach((part) => { if (!part.closest("tbody, svg, .tip, .neighbours")) prepare(part); });
    }).observe(document.body, { childList: true, subtree: true });
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
