// SPDX-License-Identifier: Apache-2.0

// Suggestions below an input, chosen by keys or with the mouse: a combo box.

import {h, show, uniqueID} from "./dom.js";

/**
 * @typedef {object} Suggestion
 * @property {import("./dom.js").Child} label
 * @property {string} [hint]
 * @property {() => void} choose
 */

/**
 * Gives an input suggestions.
 *
 * @param {HTMLInputElement} input
 * @param {(text: string, caret: number) => Promise<Suggestion[]> | Suggestion[]} suggest
 * @param {{isFirstMarked?: boolean}} [options] Whether Enter and Tab choose the first suggestion for what was typed
 *   without an arrow key before.
 * @returns {HTMLElement} The list, which must be put beside the input into an element with a position.
 */
export function suggestions(input, suggest, {isFirstMarked = false} = {}) {
    const id = uniqueID("suggestions");
    const list = h("ul", {class: "suggestions", role: "listbox", id, "aria-label": "Suggestions", hidden: true});
    /** @type {Suggestion[]} */
    let items = [];
    let marked = -1;
    let turn = 0;

    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-controls", id);
    input.setAttribute("aria-expanded", "false");
    input.autocomplete = "off";

    function hide() {
        turn += 1;
        items = [];
        show(list);
        list.hidden = true;
        input.setAttribute("aria-expanded", "false");
        mark(-1);
    }

    function mark(place) {
        marked = place;
        [...list.children].forEach((child, other) => child.setAttribute("aria-selected", String(place === other)));
        if (place < 0 || list.hidden) {
            input.removeAttribute("aria-activedescendant");
            return;
        }
        input.setAttribute("aria-activedescendant", `${id}-${place}`);
        list.children[place].scrollIntoView({block: "nearest"});
    }

    function choose(place) {
        const item = items[place];
        hide();
        item.choose();
    }

    async function update() {
        turn += 1;
        const own = turn;
        const found = await suggest(input.value, input.selectionStart ?? input.value.length);
        if (own !== turn || document.activeElement !== input) return;
        if (found.length === 0) {
            hide();
            return;
        }
        items = found;
        show(list, items.map(entry));
        list.hidden = false;
        input.setAttribute("aria-expanded", "true");
        mark(isFirstMarked && input.value.trim() !== "" ? 0 : -1);
        list.scrollIntoView({block: "nearest"});
    }

    function entry(item, place) {
        const press = (event) => {
            event.preventDefault();
            choose(place);
        };
        return h("li", {role: "option", id: `${id}-${place}`, "aria-selected": "false", onmousedown: press},
            h("span", {}, item.label), item.hint ? h("small", {}, item.hint) : null);
    }

    function press(event) {
        if (list.hidden) {
            if (event.key === "ArrowDown") {
                event.preventDefault();
                update();
            }
            return;
        }
        if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            const step = event.key === "ArrowDown" ? 1 : marked < 0 ? 0 : -1;
            mark((marked + step + items.length) % items.length);
        } else if ((event.key === "Enter" || event.key === "Tab") && marked >= 0) {
            event.stopImmediatePropagation();
            choose(marked);
        } else if (event.key === "Escape") {
            event.stopPropagation();
            hide();
        } else {
            return;
        }
        event.preventDefault();
    }

    input.addEventListener("input", () => {
        // The present suggestions are for what was typed before.
        mark(-1);
        update();
    });
    input.addEventListener("click", update);
    input.addEventListener("blur", hide);
    input.addEventListener("keydown", press);
    return list;
}
