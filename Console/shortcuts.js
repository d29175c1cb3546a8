// SPDX-License-Identifier: Apache-2.0

// Keys that work everywhere. A page gives a key to a control by `data-key`: `h("button", {data: {key: "n"}}, "New")`.

import {h} from "./dom.js";
import {go, PAGES} from "./navigation.js";
import {session} from "./session.js";
import {dialog} from "./widgets.js";

const KEYS = [
    ["/", "Search"],
    ["n", "New object"],
    ["r", "Refresh"],
    ["Ctrl S", "Save the form"],
    ["Ctrl Z", "Undo in a draft"],
    ["Ctrl Shift Z", "Redo in a draft"],
    ["↑ ↓ ← →", "Move in a table"],
    ["Enter", "Edit a cell, or open an object"],
    ["Space", "Select a row"],
    ["Escape", "Cancel"],
    ["?", "These shortcuts"],
];

/** How long after `g` the key of a page may follow, in milliseconds. */
const SEQUENCE = 1500;

export function listenForShortcuts() {
    let prefixTime = -Infinity;
    addEventListener("keydown", (event) => {
        const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== "checkbox";
        if (isTyping || document.querySelector("dialog[open]") !== null) return;
        if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && session.draft !== null) {
            event.preventDefault();
            press(event.shiftKey ? "redo" : "undo");
            return;
        }
        if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
        const isSecond = event.timeStamp - prefixTime < SEQUENCE;
        const page = isSecond ? PAGES.find((entry) => entry.key === event.key) : undefined;
        prefixTime = event.key === "g" ? event.timeStamp : -Infinity;
        if (page !== undefined) go(`#/${page.name}`);
        else if (event.key === "?") showShortcuts();
        else if (/^[a-z/]$/.test(event.key) && press(event.key)) event.preventDefault();
    });
}

/** Uses the control that has a key. Returns whether there is one. */
function press(key) {
    const control = document.querySelector(`[data-key="${key}"]`);
    if (control === null) return false;
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(control.tagName)) control.focus();
    else control.click();
    return true;
}

export function showShortcuts() {
    const pages = PAGES.filter((entry) => entry.key !== undefined).map(({key, label}) => [`g ${key}`, label]);
    const line = ([keys, meaning]) => h("tr", {},
        h("th", {scope: "row"}, keys.split(" ").map((key) => h("kbd", {}, key))), h("td", {}, meaning));
    dialog("Shortcuts", () => h("table", {class: "keys"}, h("tbody", {}, [...pages, ...KEYS].map(line))));
}
