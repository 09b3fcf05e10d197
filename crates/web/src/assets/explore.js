// The position explorer: nodes open in place, and links between nodes change only the explorer. Without it they are pages.
"use strict";
(() => {
  const explorer = document.getElementById("explorer");
  if (!explorer) return;
  const searches = explorer.dataset.searches;

  const fetchText = async (address) => {
    const response = await fetch(address, { headers: { accept: "text/html" }, credentials: "same-origin" });
    if (!response.ok) throw new Error(response.statusText);
    return response.text();
  };

  // Brings the node that is shown into sight in its tree, without moving the page.
  const scrollTrees = () => {
    for (const here of explorer.querySelectorAll(".tree .node.here")) {
      const tree = here.closest(".tree");
      const offset = here.getBoundingClientRect().top - tree.getBoundingClientRect().top;
      tree.scrollTop += offset - tree.clientHeight / 2;
    }
  };
  scrollTrees();

  // Shows other nodes of both searches.
  const goTo = async (href, isBack) => {
    const address = new URL(href, location.href);
    const shown = new URL(address);
    address.searchParams.set("fragment", "1");
    const html = await fetchText(address);
    explorer.innerHTML = html;
    scrollTrees();
    if (!isBack) history.pushState(null, "", shown);
  };

  // This page with another node of one search: the link of a node that was fetched does not know the other search's.
  const addressOf = (link) => {
    const address = new URL(location.href);
    address.searchParams.set(link.closest(".tree").dataset.side, link.dataset.node);
    return address.href;
  };

  // Opens a node where it stands, or closes it.
  const toggle = async (link) => {
    const item = link.closest("li");
    const below = item.querySelector(":scope > ul");
    if (below) {
      below.hidden = !below.hidden;
      link.setAttribute("aria-expanded", String(!below.hidden));
      return;
    }
    const side = link.closest(".tree").dataset.side;
    const html = await fetchText(`/explore/${searches}/${side}/${link.dataset.node}`);
    if (item.querySelector(":scope > ul")) return;
    const list = document.createElement("ul");
    list.innerHTML = html;
    item.append(list);
    link.setAttribute("aria-expanded", "true");
  };

  explorer.addEventListener("click", (event) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.target.closest("a");
    if (!link) return;
    const isNode = link.dataset.node !== undefined;
    if (!isNode && link.dataset.nodes === undefined) return;
    event.preventDefault();
    // A node opens at the first click, and is shown with its board at the second; a leaf at the first.
    const isClosed = isNode && link.getAttribute("aria-expanded") === "false";
    const isHere = isNode && link.getAttribute("aria-current") === "true" && link.hasAttribute("aria-expanded");
    const done = isClosed || isHere ? toggle(link) : goTo(isNode ? addressOf(link) : link.href, false);
    done.catch(() => location.assign(link.href));
  });

  // Left closes a node, right opens it, up and down go from node to node.
  explorer.addEventListener("keydown", (event) => {
    const link = event.target.closest(".tree a.open");
    if (!link) return;
    const state = link.getAttribute("aria-expanded");
    if ((event.key === "ArrowRight" && state === "false") || (event.key === "ArrowLeft" && state === "true")) {
      event.preventDefault();
      toggle(link).catch(() => {});
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const links = [...link.closest(".tree").querySelectorAll("a.open")].filter((other) => other.offsetParent);
      const next = links[links.indexOf(link) + (event.key === "ArrowDown" ? 1 : -1)];
      if (!next) return;
      event.preventDefault();
      next.focus();
    }
  });

  window.addEventListener("popstate", () => goTo(location.href, true).catch(() => location.reload()));
})();
