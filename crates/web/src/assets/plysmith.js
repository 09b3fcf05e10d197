// What all pages do by script: live updates, and small comforts. Everything works without it, but does not update itself.
"use strict";
(() => {
  const connection = document.getElementById("connection");

  const say = (text) => {
    connection.textContent = text;
    connection.hidden = text === "";
  };

  const fetchText = async (address) => {
    const response = await fetch(address, { headers: { accept: "text/html" }, credentials: "same-origin" });
    if (!response.ok) throw new Error(response.statusText);
    return response.text();
  };

  // Listens to events from a mark on. Pages that are not seen do not listen: browsers allow few connections to a server.
  const listen = (addressFrom, mark, handlers) => {
    let source = null;
    let last = mark;
    let isOver = false;
    let retry = 0;
    const close = () => {
      clearTimeout(retry);
      if (source) source.close();
      source = null;
    };
    const open = () => {
      close();
      if (isOver || document.hidden) return;
      source = new EventSource(addressFrom(last));
      source.onopen = () => say("");
      source.onerror = () => {
        if (isOver) return close();
        say("Connection lost; trying again…");
        // A browser tries again by itself, unless the server refused.
        if (source && source.readyState === EventSource.CLOSED) retry = setTimeout(open, 3000);
      };
      for (const [name, handle] of Object.entries(handlers)) {
        source.addEventListener(name, (event) => {
          if (event.lastEventId) last = event.lastEventId;
          handle(event.data);
        });
      }
    };
    document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
    window.addEventListener("pagehide", close);
    window.addEventListener("pageshow", (event) => event.persisted && open());
    open();
    return () => {
      isOver = true;
      close();
    };
  };

  // Does something that changes the page, and keeps what is at the top of the window where it is.
  const keepingPlace = (container, change) => {
    const rows = container.querySelectorAll("[data-run], h2, h3, tr");
    const anchor = window.scrollY > 0 ? [...rows].find((row) => row.getBoundingClientRect().top >= 0) : null;
    const before = anchor ? anchor.getBoundingClientRect().top : 0;
    const { scrollX, scrollY } = window;
    change();
    if (anchor && anchor.isConnected) window.scrollBy(0, anchor.getBoundingClientRect().top - before);
    else window.scrollTo(scrollX, scrollY);
  };

  const isSelected = (element) => {
    const selection = document.getSelection();
    return selection && !selection.isCollapsed && selection.containsNode(element, true);
  };

  // -- the list of runs ------------------------------------------------------------------------------------------------
  const liveList = (list) => {
    const markOf = () => list.querySelector("[data-mark]").dataset.mark;
    const waiting = new Map();

    const chosen = () => new Set([...list.querySelectorAll("input[name=run]:checked")].map((box) => box.value));
    const choose = (runs) => {
      for (const box of list.querySelectorAll("input[name=run]")) box.checked = runs.has(box.value);
      countChosen(list);
    };

    const reload = async () => {
      const address = new URL(location.href);
      address.searchParams.set("fragment", "1");
      const html = await fetchText(address);
      const runs = chosen();
      keepingPlace(list, () => {
        list.innerHTML = html;
        choose(runs);
      });
    };

    const rowOf = (html) => {
      const template = document.createElement("template");
      template.innerHTML = html;
      return template.content.querySelector("tr");
    };

    const place = (body, row) => {
      if (list.querySelector("[data-sorted]")) return body.prepend(row);
      const number = Number(row.dataset.run);
      const next = [...body.children].find((other) => Number(other.dataset.run) < number);
      body.insertBefore(row, next || null);
    };

    const apply = (body, run, html) => {
      const old = document.getElementById(`run-${run}`);
      if (old && isSelected(old)) return waiting.set(run, html);
      waiting.delete(run);
      const row = rowOf(html);
      if (!old) return place(body, row);
      row.querySelector("input[name=run]").checked = old.querySelector("input[name=run]").checked;
      const focused = old.contains(document.activeElement) ? document.activeElement : null;
      const path = focused && (focused.name ? `[name="${focused.name}"]` : focused.hasAttribute("href") ? `[href="${focused.getAttribute("href")}"]` : null);
      old.replaceWith(row);
      const again = path && row.querySelector(path);
      if (again) again.focus({ preventScroll: true });
    };

    const update = (data) => {
      const { rows, gone, count } = JSON.parse(data);
      const body = list.querySelector("tbody");
      if (!body) return reload().catch(() => {});
      keepingPlace(list, () => {
        for (const [run, html] of rows.reverse()) apply(body, run, html);
        for (const run of gone) document.getElementById(`run-${run}`)?.remove();
      });
      document.getElementById("run-count").textContent = count;
      countChosen(list);
    };

    document.addEventListener("selectionchange", () => {
      const body = list.querySelector("tbody");
      if (body) for (const [run, html] of [...waiting]) apply(body, run, html);
    });
    const address = (mark) => {
      const query = new URLSearchParams(location.search);
      query.set("since", mark);
      return `/events?${query}`;
    };
    listen(address, markOf(), { runs: update, reset: () => reload().catch(() => {}) });
  };

  // -- the page of a run -----------------------------------------------------------------------------------------------
  const liveRun = (head) => {
    const run = head.dataset.run;
    const body = document.getElementById("run-body");
    let status = head.dataset.status;
    let events = -1;
    let pending = false;
    let isBusy = false;
    let rest = 0;

    const refreshHead = async () => {
      const html = await fetchText(`/runs/${run}/head`);
      if (!head.contains(document.activeElement) || head.dataset.status !== status) head.innerHTML = html;
      head.dataset.status = status;
    };

    // Not more often than every two seconds, and at most a tenth of the time: large runs take a while to show.
    const refreshBody = async () => {
      pending = true;
      if (isBusy) return;
      isBusy = true;
      while (pending) {
        pending = false;
        const begun = performance.now();
        try {
          const address = new URL(location.href);
          address.searchParams.set("fragment", "1");
          const html = await fetchText(address);
          show(html);
        } catch {
          // The next event tries again.
        }
        rest = Math.max(2000, 10 * (performance.now() - begun));
        await new Promise((resolve) => setTimeout(resolve, status === "running" ? rest : 0));
      }
      isBusy = false;
    };

    const show = (html) => {
      if (isSelected(body)) {
        document.addEventListener("selectionchange", () => refreshBody(), { once: true });
        return;
      }
      const open = new Set([...body.querySelectorAll("details[open][id]")].map((element) => element.id));
      const focused = body.contains(document.activeElement) ? document.activeElement.id : "";
      keepingPlace(body, () => {
        body.innerHTML = html;
        for (const id of open) document.getElementById(id)?.setAttribute("open", "");
        if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
        body.dispatchEvent(new CustomEvent("plysmith:shown", { bubbles: true }));
      });
    };

    let stop = () => {};
    const update = (data) => {
      const news = JSON.parse(data);
      const hasChanged = news.events !== events || news.status !== status;
      [events, status] = [news.events, news.status];
      refreshHead().catch(() => {});
      if (hasChanged) refreshBody();
      if (status === "finished") stop();
    };
    stop = listen((mark) => `/runs/${run}/changes?since=${encodeURIComponent(mark)}`, head.dataset.mark, {
      run: update,
      deleted: () => location.assign("/"),
      failed: () => location.reload(),
    });
    if (status === "finished") stop();
  };

  // -- comforts --------------------------------------------------------------------------------------------------------
  const countChosen = (list) => {
    const count = list.querySelectorAll("input[name=run]:checked").length;
    for (const button of list.querySelectorAll("button[data-needs]")) button.disabled = count < Number(button.dataset.needs);
  };

  const previewed = (form) => {
    let timer = 0;
    const output = form.querySelector("#preview");
    const show = async () => {
      const fields = new URLSearchParams(new FormData(form));
      fields.delete("form-token");
      for (const [name, value] of [...fields]) if (value === "") fields.delete(name);
      fields.set("fragment", "1");
      try {
        output.innerHTML = await fetchText(`${form.dataset.preview}?${fields}`);
        showCopyButtons(output);
      } catch {
        // The button shows what is wrong.
      }
    };
    form.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(show, 250);
    });
    if (!output.textContent.trim() && form.checkValidity()) show();
  };

  const showCopyButtons = (where) => {
    if (!navigator.clipboard) return;
    for (const button of where.querySelectorAll("[data-copy]")) {
      button.hidden = false;
      button.onclick = async () => {
        await navigator.clipboard.writeText(button.previousElementSibling.textContent);
        button.textContent = "Copied";
        setTimeout(() => (button.textContent = "Copy"), 1500);
      };
    }
  };

  const list = document.querySelector("[data-live=list]");
  if (list) {
    list.addEventListener("change", () => countChosen(list));
    countChosen(list);
    liveList(list);
  }
  const head = document.querySelector("[data-live=run]");
  if (head) liveRun(head);
  for (const form of document.querySelectorAll("form[data-submit-on-change]")) {
    form.addEventListener("change", (event) => event.target.matches("select") && form.requestSubmit());
  }
  for (const form of document.querySelectorAll("form[data-preview]")) previewed(form);
  showCopyButtons(document);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest("input, textarea, select")) return;
    const search = document.querySelector("input[type=search]");
    if (search) {
      event.preventDefault();
      search.focus();
    }
  });
})();
