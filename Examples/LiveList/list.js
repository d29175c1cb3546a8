// SPDX-License-Identifier: Apache-2.0

// Shows a list as it changes.

const list = document.getElementById("list");
const state = document.getElementById("state");

function row(post, item = document.createElement("li")) {
  const views = document.createElement("b");
  views.textContent = post.views;
  item.replaceChildren(post.title, views);
  return item;
}

function show(event) {
  list.replaceChildren(...JSON.parse(event.data).items.map((post) => row(post)));
}

const source = new EventSource("/api/posts/live?sort=-views&limit=10&select=title,views");
source.onopen = () => (state.textContent = "Live");
source.onerror = () => (state.textContent = "Connecting again …");
source.addEventListener("result", show);
source.addEventListener("reset", show);
source.addEventListener("change", (event) => {
  const changes = JSON.parse(event.data).changes;
  const old = [...list.children];
  for (const change of changes) old[change.delete ?? change.move?.from]?.remove();
  for (const { insert, move, update, object } of changes) {
    if (insert !== undefined) list.insertBefore(row(object), list.children[insert] ?? null);
    if (move) list.insertBefore(object ? row(object, old[move.from]) : old[move.from], list.children[move.to] ?? null);
    if (update !== undefined) row(object, list.children[update]);
  }
});
