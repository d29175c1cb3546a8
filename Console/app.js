// SPDX-License-Identifier: Apache-2.0

// The page as a whole: where one is, the tools at the top, the draft that is edited, and keys.

import {send, session, get} from "./api.js";
import {h, memory, show} from "./dom.js";
import {counted} from "./format.js";
import {model} from "./model.js";
import {dialog, menu, problem, toast} from "./widgets.js";

const PAGES = [
    ["data", "Data", () => import("./data.js")], ["object", null, () => import("./object.js")],
    ["model", "Model", () => import("./model-page.js")], ["drafts", "Drafts", () => import("./drafts.js")],
    ["query", "Query", () => import("./query.js")], ["live", "Live", () => import("./live.js")],
    ["access", "Access", () => import("./access.js")], ["reference", null, () => import("./reference.js")],
];

const main = document.getElementById("main");
let shownPage = null;
let turn = 0;

/** The place in the address: the page's name, the parts of its path, and its parameters. */
function place() {
    const [path, query = ""] = location.hash.slice(1).split("?");
    const [name = "data", ...parts] = path.split("/").filter((part) => part !== "").map(decodeURIComponent);
    return {name: PAGES.some(([page]) => page === name) ? name : "data", parts, parameters: new URLSearchParams(query)};
}

async function go() {
    const mine = ++turn;
    const here = place();
    for (const link of document.querySelectorAll("#pages a")) {
        const isHere = link.dataset.page === (here.name === "object" ? "data" : here.name);
        if (isHere) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
    }
    // A page may take a change of its parameters by itself.
    if (shownPage?.name === here.name && shownPage.update?.(here) === true) return;
    await shownPage?.leave?.();
    shownPage = null;
    const late = setTimeout(() => { if (mine === turn) show(main, h("p", {class: "quiet loading"}, "Loading …")); }, 150);
    try {
        const module = await PAGES.find(([name]) => name === here.name)[2]();
        const page = await module.page(here);
        if (mine !== turn) { page.leave?.(); return; }
        shownPage = {name: here.name, ...page};
        show(main, page.element);
        main.dataset.page = here.name;
        document.title = [page.title, model.title || "Outcrop"].filter(Boolean).join(" · ");
        page.shown?.();
        if (document.activeElement === document.body) main.focus({preventScroll: true});
    } catch (error) {
        if (mine === turn) show(main, h("div", {class: "page"}, h("h1", {}, "This can't be shown"), problem(error), h("p", {}, h("a", {href: "#/data"}, "All data"))));
    } finally {
        clearTimeout(late);
    }
}

// The tools at the top.

function tools() {
    const theme = memory.get("theme", "auto");
    return [
        session.actAs === null ? null : h("button", {class: "badge warn", title: "Return to your own view", onclick: () => session.change({actAs: null})}, `as ${session.actAs} ×`),
        menu("☰", () => [
            ...["auto", "light", "dark"].map((name) => ({label: `${name === "auto" ? "System" : name === "light" ? "Light" : "Dark"} colours`, isChecked: memory.get("theme", "auto") === name, action: () => setTheme(name)})),
            null, {label: "Keys", hint: "?", action: keys}, {label: "API reference", action: () => { location.hash = "#/reference"; }},
            {label: session.token === null ? "Sign in …" : "Sign out", action: session.token === null ? signIn : signOut},
        ], {class: "plain", "aria-label": "Menu", title: `Menu (${theme} colours)`}),
    ];
}

function setTheme(name) {
    memory.set("theme", name);
    if (name === "auto") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = name;
}

async function signIn() { (await import("./access.js")).signIn(); }
async function signOut() { (await import("./access.js")).signOut(); }

// The draft that is edited.

async function draftBar() {
    const bar = document.getElementById("draftbar");
    bar.hidden = session.draft === null;
    if (session.draft === null) return;
    const path = `/api/contexts/${encodeURIComponent(session.draft)}`;
    try {
        const state = await get(path);
        const act = (verb, done) => async () => {
            try { await send(`${path}/${verb}`, {method: "POST"}); if (done) toast(done); dispatchEvent(new Event("outcrop-changed")); }
            catch (error) { location.hash = `#/drafts/${session.draft}`; toast(error.message, "bad"); }
        };
        show(bar,
            h("span", {class: "dot"}), h("a", {href: `#/drafts/${session.draft}`}, `Draft ${state.name ?? state.context}`),
            h("span", {class: "quiet"}, state.hasChanges ? [state.inserted && `${state.inserted} new`, state.updated && `${state.updated} changed`, state.deleted && `${state.deleted} deleted`].filter(Boolean).join(", ") : "no changes yet"),
            state.conflicts > 0 ? h("a", {href: `#/drafts/${session.draft}`, class: "badge bad"}, counted(state.conflicts, "conflict")) : null,
            h("span", {class: "spring"}),
            h("button", {class: "small", id: "undo", disabled: state.undo === 0, title: "Ctrl+Z", onclick: act("undo")}, "Undo"),
            h("button", {class: "small", id: "redo", disabled: state.redo === 0, title: "Ctrl+Shift+Z", onclick: act("redo")}, "Redo"),
            h("button", {class: "small primary", disabled: !state.hasChanges, onclick: act("save", "The draft was saved.")}, "Save"),
            h("button", {class: "small", onclick: () => session.change({draft: null})}, "Leave"),
        );
    } catch (error) {
        if (error.status === 404 || error.status === 410) { toast("The draft has ended."); session.change({draft: null}); }
        else show(bar, error.message);
    }
}

// Keys.

const KEYS = [
    ["g then d, m, f, q, l, a", "Data, Model, Drafts, Query, Live, Access"], ["/", "Search"], ["n", "New object"], ["r", "Refresh"],
    ["Ctrl+S", "Save the form"], ["Ctrl+Z, Ctrl+Shift+Z", "Undo and redo in a draft"],
    ["Arrows, Enter, Escape", "Move in a table, edit, cancel"], ["Space", "Select a row"], ["?", "This list"],
];

function keys() {
    dialog("Keys", () => h("table", {class: "keys"}, h("tbody", {}, KEYS.map(([key, what]) => h("tr", {}, h("th", {scope: "row"}, h("kbd", {}, key)), h("td", {}, what))))));
}

let went = 0;
addEventListener("keydown", (event) => {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || event.target.isContentEditable;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && session.draft !== null && !isTyping) {
        event.preventDefault();
        document.getElementById(event.shiftKey ? "redo" : "undo")?.click();
    }
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (Date.now() - went < 1200) {
        const page = {d: "data", m: "model", f: "drafts", q: "query", l: "live", a: "access"}[event.key];
        went = 0;
        if (page !== undefined) { location.hash = `#/${page}`; return; }
    }
    if (event.key === "g") went = Date.now();
    else if (event.key === "?") keys();
    else if (event.key === "/" || event.key === "n" || event.key === "r") {
        const target = document.querySelector(`[data-key="${event.key}"]`);
        if (target === null) return;
        event.preventDefault();
        if (event.key === "/") target.focus(); else target.click();
    }
});

// The beginning.

async function start() {
    setTheme(memory.get("theme", "auto"));
    show(document.getElementById("pages"), PAGES.filter(([, label]) => label).map(([name, label]) => h("a", {href: `#/${name}`, "data-page": name}, label)));
    const tell = () => show(document.getElementById("tools"), tools());
    tell();
    addEventListener("hashchange", go);
    addEventListener("outcrop-changed", draftBar);
    addEventListener("outcrop-session", async (event) => {
        tell();
        draftBar();
        if ("token" in event.detail || "actAs" in event.detail) await readModel();
        shownPage?.leave?.();
        shownPage = null;
        go();
    });
    addEventListener("outcrop-unauthenticated", signIn);
    await readModel();
    draftBar();
    await go();
}

async function readModel() {
    try {
        await model.read();
        document.getElementById("brand").textContent = model.title || "Outcrop";
    } catch (error) {
        if (error.status !== 401) show(main, h("div", {class: "page"}, problem(error)));
    }
}

start();
