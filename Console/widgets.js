// SPDX-License-Identifier: Apache-2.0

// Parts that several pages have: dialogs, messages, menus, tabs and lists of suggestions.

import {APIError} from "./api.js";
import {h, show} from "./dom.js";

/** Shows a message for some seconds. */
export function toast(text, kind = "") {
    const element = h("div", {class: `toast ${kind}`}, text);
    document.getElementById("toasts").append(element);
    setTimeout(() => element.remove(), kind === "bad" ? 9000 : 4000);
}

/** What went wrong, with the server's hint and its errors. */
export function problem(error) {
    if (!(error instanceof APIError)) return h("div", {class: "problem", role: "alert"}, h("strong", {}, error.message));
    return h("div", {class: "problem", role: "alert"},
        h("strong", {}, error.message), error.hint === "" ? null : h("p", {}, error.hint),
        error.errors.length < 1 ? null : h("ul", {}, error.errors.slice(0, 20).map((one) => h("li", {},
            one.object ? [h("code", {}, one.object), " "] : null, one.message))),
    );
}

/**
 * Asks in a dialog. The content is made by a function that gets the dialog's `close`.
 *
 * @returns {Promise<any>} What it was closed with; undefined if it was dismissed.
 */
export function dialog(title, make, {wide = false} = {}) {
    return new Promise((resolve) => {
        let result;
        const before = document.activeElement;
        const close = (value) => { result = value; element.close(); };
        const element = h("dialog", {class: wide ? "wide" : "", "aria-label": title, onclose: () => {
            element.remove();
            before?.focus?.();
            resolve(result);
        }});
        element.append(
            h("header", {}, h("h2", {}, title), h("button", {class: "plain", type: "button", "aria-label": "Close", onclick: () => close()}, "×")),
            h("div", {class: "content"}, make(close)),
        );
        document.body.append(element);
        element.showModal();
        element.querySelector("[autofocus]")?.focus();
    });
}

/** Asks whether to go on. */
export function confirm(title, content, action, kind = "danger") {
    return dialog(title, (close) => h("form", {onsubmit: (event) => { event.preventDefault(); close(true); }}, content,
        h("div", {class: "buttons"}, h("button", {type: "button", onclick: () => close(false)}, "Cancel"), h("button", {class: kind, autofocus: true}, action))));
}

/** A button that opens a menu of items: `{label, action, hint, isChecked}`. */
export function menu(label, items, attributes = {}) {
    const list = h("div", {class: "menu", role: "menu", popover: "auto"});
    const button = h("button", {type: "button", "aria-haspopup": "menu", ...attributes, onclick: open}, label);
    function open() {
        show(list, (typeof items === "function" ? items() : items).map((item) => item === null ? h("hr") : h("button", {
            type: "button", role: item.isChecked === undefined ? "menuitem" : "menuitemcheckbox",
            "aria-checked": item.isChecked === undefined ? null : String(item.isChecked),
            onclick: () => { if (item.isChecked === undefined) list.hidePopover(); item.action(); if (item.isChecked !== undefined) open(); },
        }, item.isChecked === undefined ? null : h("span", {class: "check"}, item.isChecked ? "✓" : ""), item.label, item.hint ? h("small", {}, item.hint) : null)));
        if (!list.matches(":popover-open")) list.showPopover();
        const place = button.getBoundingClientRect();
        list.style.left = `${Math.max(4, Math.min(place.left, innerWidth - list.offsetWidth - 8))}px`;
        list.style.top = `${Math.min(place.bottom + 4, innerHeight - Math.min(list.offsetHeight, innerHeight - 16) - 8)}px`;
        list.querySelector("button")?.focus();
    }
    list.addEventListener("keydown", (event) => {
        const buttons = [...list.querySelectorAll("button")];
        const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
        if (step === undefined) return;
        event.preventDefault();
        buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length]?.focus();
    });
    return h("span", {class: "menuplace"}, button, list);
}

/** Tabs over panels that are made when they are first shown: `[["Form", () => element], …]`. */
export function tabs(label, panels, selected = 0, changed = () => {}) {
    const panel = h("div", {role: "tabpanel", class: "panel", tabindex: "0"});
    const made = new Map();
    const buttons = panels.map(([name], index) => h("button", {
        type: "button", role: "tab", onclick: () => select(index), onkeydown: (event) => {
            const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
            if (step !== undefined) { select((index + step + panels.length) % panels.length); buttons[(index + step + panels.length) % panels.length].focus(); }
        },
    }, name));
    function select(index) {
        buttons.forEach((button, place) => {
            button.setAttribute("aria-selected", String(place === index));
            button.tabIndex = place === index ? 0 : -1;
        });
        if (!made.has(index)) made.set(index, panels[index][1]());
        show(panel, made.get(index));
        panel.setAttribute("aria-label", panels[index][0]);
        changed(index);
    }
    const element = h("div", {class: "tabs"}, h("div", {role: "tablist", "aria-label": label}, buttons), panel);
    select(Math.min(Math.max(selected, 0), panels.length - 1));
    return element;
}

let serial = 0;
export function unique(prefix) { serial += 1; return `${prefix}${serial}`; }

/**
 * Gives an input suggestions, chosen by keys or the mouse.
 *
 * @param {HTMLInputElement} input
 * @param {(text: string, caret: number) => Promise<Array<{label: any, hint?: string, choose: () => void}>>} suggest
 */
export function suggestions(input, suggest) {
    const id = unique("list");
    const list = h("ul", {class: "suggestions", role: "listbox", id, hidden: true});
    for (const [name, value] of Object.entries({role: "combobox", "aria-autocomplete": "list", "aria-controls": id, "aria-expanded": "false", autocomplete: "off"})) input.setAttribute(name, value);
    let items = [], active = -1, turn = 0;
    const hide = () => { list.hidden = true; items = []; active = -1; input.setAttribute("aria-expanded", "false"); input.removeAttribute("aria-activedescendant"); };
    const mark = (index) => {
        active = index;
        [...list.children].forEach((child, place) => child.setAttribute("aria-selected", String(place === index)));
        if (index >= 0) { input.setAttribute("aria-activedescendant", `${id}-${index}`); list.children[index].scrollIntoView({block: "nearest"}); }
    };
    const choose = (index) => { const item = items[index]; hide(); item.choose(); };
    async function update() {
        const mine = ++turn;
        const found = await suggest(input.value, input.selectionStart ?? input.value.length);
        if (mine !== turn || document.activeElement !== input) return;
        if (found.length === 0) { hide(); return; }
        items = found;
        show(list, items.map((item, index) => h("li", {role: "option", id: `${id}-${index}`, "aria-selected": "false",
            onmousedown: (event) => { event.preventDefault(); choose(index); }}, item.label, item.hint ? h("small", {}, item.hint) : null)));
        list.hidden = false;
        active = -1;
        input.setAttribute("aria-expanded", "true");
    }
    input.addEventListener("input", update);
    input.addEventListener("focus", update);
    input.addEventListener("blur", () => { turn += 1; hide(); });
    input.addEventListener("keydown", (event) => {
        if (list.hidden) { if (event.key === "ArrowDown" && event.altKey) update(); return; }
        if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            mark((active + (event.key === "ArrowDown" ? 1 : -1) + items.length + (active < 0 && event.key === "ArrowUp" ? 1 : 0)) % items.length);
        } else if ((event.key === "Enter" || event.key === "Tab") && active >= 0) { event.preventDefault(); event.stopImmediatePropagation(); choose(active); }
        else if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); hide(); }
    });
    return list;
}

/** Copies a text, and says so. */
export function copyButton(text, label = "Copy") {
    return h("button", {type: "button", class: "small", onclick: async () => {
        try { await navigator.clipboard.writeText(typeof text === "function" ? text() : text); toast("Copied."); }
        catch { toast("The browser doesn't allow copying.", "bad"); }
    }}, label);
}

/** Gives a file to the person. */
export function download(blob, name) {
    const address = URL.createObjectURL(blob);
    const link = h("a", {href: address, download: name});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
