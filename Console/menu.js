// SPDX-License-Identifier: Apache-2.0

// A button that opens a menu.

import {h, show} from "./dom.js";
import {icon} from "./icons.js";

/**
 * @typedef {object} MenuItem
 * @property {string} label
 * @property {() => void} action
 * @property {string} [hint] A key, or a detail.
 * @property {string} [icon]
 * @property {boolean} [isChecked] If it is given, the item is a check box, and the menu stays open.
 */

/**
 * A button that opens a menu. Null is a line between items.
 *
 * @param {import("./dom.js").Child} label
 * @param {() => Array<MenuItem | null>} items
 * @param {Record<string, any>} [attributes] Those of the button.
 */
export function menu(label, items, attributes = {}) {
    const list = h("div", {class: "menu", role: "menu", popover: "auto", onkeydown: move, ontoggle: report});
    const button = h(
        "button", {type: "button", "aria-haspopup": "menu", "aria-expanded": "false", onclick: open, ...attributes},
        label,
    );

    function open() {
        draw();
        list.showPopover();
        placeBelow(list, button);
        list.querySelector("button")?.focus();
    }

    function draw() {
        show(list, items().map((item) => item === null ? h("hr") : entry(item)));
    }

    function entry(item) {
        const isCheckBox = item.isChecked !== undefined;
        const run = (event) => {
            if (!isCheckBox) list.hidePopover();
            const place = [...list.children].indexOf(event.currentTarget);
            item.action();
            if (isCheckBox && list.isConnected) {
                draw();
                list.children[place]?.focus();
            }
        };
        return h("button", {
            type: "button", role: isCheckBox ? "menuitemcheckbox" : "menuitem", tabindex: "-1",
            "aria-checked": isCheckBox ? String(item.isChecked) : null, onclick: run,
        }, h("span", {class: "mark"}, item.isChecked ? icon("check") : item.icon ? icon(item.icon) : null),
            item.label, item.hint ? h("small", {}, item.hint) : null);
    }

    function move(event) {
        const buttons = [...list.querySelectorAll("button")];
        const present = buttons.indexOf(document.activeElement);
        const place = {ArrowDown: present + 1, ArrowUp: present - 1, Home: 0, End: buttons.length - 1}[event.key];
        if (place === undefined) return;
        event.preventDefault();
        buttons[(place + buttons.length) % buttons.length].focus();
    }

    function report(event) {
        const isOpen = event.newState === "open";
        button.setAttribute("aria-expanded", String(isOpen));
        if (!isOpen && list.contains(document.activeElement)) button.focus();
    }

    return h("span", {class: "menu-place"}, button, list);
}

function placeBelow(element, anchor) {
    const place = anchor.getBoundingClientRect();
    const left = Math.min(place.left, innerWidth - element.offsetWidth - 8);
    const top = Math.min(place.bottom + 4, innerHeight - element.offsetHeight - 8);
    element.style.setProperty("left", `${Math.max(8, left)}px`);
    element.style.setProperty("top", `${Math.max(8, top)}px`);
}
