// SPDX-License-Identifier: Apache-2.0

// The frame of all pages: it shows the page that the address names, and what has gone wrong.

import {watchConnection} from "./connection.js";
import {showDraft} from "./draftbar.js";
import {h, show} from "./dom.js";
import {identity} from "./identity.js";
import {model} from "./model.js";
import {PAGES, pageEntry, presentPlace} from "./navigation.js";
import {pageEdits} from "./pageedits.js";
import {events} from "./session.js";
import {listenForShortcuts} from "./shortcuts.js";
import {applyTheme} from "./theme.js";
import {showTools} from "./tools.js";
import {Turns} from "./turns.js";
import {confirm, failureToast, problem, toast} from "./widgets.js";

const main = document.getElementById("main");

/** @type {(import("./navigation.js").Page & {name: string}) | null} */
let shownPage = null;
const turns = new Turns();

/** Shows the page of the address. @param {Event} [event] What has changed the address, if it was changed. */
async function navigate(event) {
    if (shownPage?.isEdited?.() && !await mayLeave()) {
        // Pages change the address themselves, so it isn't always the one that they were shown for.
        if (event?.oldURL) history.pushState(null, "", event.oldURL);
        return;
    }
    const isLatest = turns.begin();
    const place = presentPlace();
    markPresent(place.name);
    let waiting = 0;
    try {
        if (shownPage?.name === place.name && shownPage.update?.(place)) {
            setTitle(shownPage.title);
            return;
        }
        leave();
        waiting = setTimeout(() => { if (isLatest()) show(main, skeleton()); }, 150);
        const page = await make(place);
        if (!isLatest()) {
            page.leave?.();
            return;
        }
        shownPage = {...page, name: place.name};
        main.dataset.page = place.name;
        show(main, page.element);
        main.scrollTop = 0;
        setTitle(page.title);
        page.shown?.();
        if (document.activeElement === document.body) main.focus({preventScroll: true});
    } catch (error) {
        if (!isLatest()) return;
        leave();
        showFailure(error);
    } finally {
        clearTimeout(waiting);
    }
}

/** Loads the modules and the style of a page, and makes it. */
async function make(place) {
    const entry = pageEntry(place.name);
    if (entry === undefined) throw new Error(`There is no page “${place.name}”.`);
    const [module] = await Promise.all([entry.load(), loadStyle(entry.name)]);
    return module.page(place);
}

/** Begins to load a page while the model is read. */
function preload(name) {
    const entry = pageEntry(name);
    if (entry === undefined) return;
    entry.load().catch(() => {});
    loadStyle(name);
}

const styles = new Map();

/** Loads the style of a page once. */
function loadStyle(name) {
    if (!styles.has(name)) {
        styles.set(name, new Promise((resolve) => {
            document.head.append(
                h("link", {rel: "stylesheet", href: `${name}/style.css`, onload: resolve, onerror: resolve}),
            );
        }));
    }
    return styles.get(name);
}

function leave() {
    shownPage?.leave?.();
    shownPage = null;
}

function mayLeave() {
    return confirm("Leave without saving?", h("p", {}, "What you have changed here isn't saved."), "Leave");
}

function skeleton() {
    return h("p", {class: "page quiet", role: "status"}, "Loading …");
}

function showFailure(error) {
    console.debug(error);
    show(main, h("div", {class: "page"}, h("h1", {}, "This can't be shown"), problem(error),
        h(
            "div", {class: "row"}, h("button", {type: "button", onclick: navigate}, "Try again"),
            h("a", {href: "#/data"}, "All data"),
        )));
    setTitle("Error");
}

function setTitle(title) {
    document.title = title === model.title ? title : `${title} · ${model.title}`;
}

function showNavigation() {
    const links = PAGES.filter((entry) => entry.label !== undefined)
        .map(({name, label, key}) =>
            h("a", {href: `#/${name}`, data: {page: name}, title: `${label} (g ${key})`}, label));
    const pages = show(document.getElementById("pages"), links);
    pages.addEventListener("scroll", () => markEdges(pages), {passive: true});
    new ResizeObserver(() => markEdges(pages)).observe(pages);
}

/** Marks at which ends of a line that scrolls there is more. */
function markEdges(line) {
    line.classList.toggle("more-before", line.scrollLeft > 2);
    line.classList.toggle("more-after", line.scrollLeft + line.clientWidth < line.scrollWidth - 2);
}

function markPresent(name) {
    const present = pageEntry(name)?.parent ?? name;
    for (const link of document.querySelectorAll("#pages a")) {
        if (link.dataset.page === present) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
    }
    const pages = document.getElementById("pages");
    pages.querySelector("[aria-current]")?.scrollIntoView({block: "nearest", inline: "center"});
    markEdges(pages);
}

async function readModel() {
    await model.read();
    await identity.read();
    document.getElementById("brand").textContent = model.title;
    showTools();
}

/** Leaves an edited page, if the person agrees. */
async function discard() {
    if (!shownPage?.isEdited?.()) return true;
    if (!await mayLeave()) return false;
    leave();
    return true;
}

/**
 * Shows everything again after the session has changed. An edited page stays: what was refused can be saved once one
 * has signed in, and what was meant for a draft that has ended can be saved without it.
 */
async function renew({detail}) {
    showTools();
    showDraft();
    if (Object.keys(detail).every((key) => key === "author")) return;
    const isKept = shownPage?.isEdited?.() === true;
    if (isKept) toast("What you have changed on this page isn't saved yet.");
    else leave();
    try {
        if ("token" in detail || "actAs" in detail) {
            await readModel();
            followLater();
        }
        if (!isKept) await navigate();
    } catch (error) {
        if (isKept) failureToast(error);
        else showFailure(error);
    }
}

/** Shows what couldn't be shown while the server wasn't reached. */
async function recover() {
    if (shownPage !== null) return;
    if (model.entities.length === 0) location.reload();
    else await navigate();
}

async function signIn() {
    const {askToSignIn} = await import("./signin.js");
    askToSignIn();
}

async function start() {
    applyTheme();
    showNavigation();
    showTools();
    listenForShortcuts();
    watchConnection(recover);
    pageEdits.isEdited = () => shownPage?.save !== undefined && shownPage.isEdited();
    pageEdits.save = () => shownPage.save();
    pageEdits.discard = discard;
    addEventListener("hashchange", navigate);
    addEventListener("beforeunload", (event) => { if (shownPage?.isEdited?.()) event.preventDefault(); });
    events.addEventListener("session", renew);
    events.addEventListener("changed", showDraft);
    events.addEventListener("unauthenticated", signIn);
    preload(presentPlace().name);
    try {
        await readModel();
    } catch (error) {
        showFailure(error);
        return;
    }
    showDraft();
    await navigate();
    followLater();
}

/** Following the history can wait until the page is shown. */
async function followLater() {
    (await import("./follow.js")).followHistory();
}

start();
