// SPDX-License-Identifier: Apache-2.0

// A list whose items are moved by dragging, or by the arrow keys on their handles.

import {h, show} from "./dom.js";
import {icon} from "./icons.js";

/**
 * @template T
 * @param {T[]} items
 * @param {object} options
 * @param {string} options.label
 * @param {(item: T) => string} options.name
 * @param {(item: T) => import("./dom.js").Child} options.content
 * @param {(item: T, place: number) => void | Promise<void>} options.move Moves an item to the place of another one.
 * @param {() => T[]} options.items The items after a move.
 * @returns {{element: HTMLElement, show: () => void}} `show` shows other items, once no item is dragged any more.
 */
export function sortableList(items, {label, name, content, move, items: present}) {
    const element = h("ol", {class: "sortable", "aria-label": label});
    const live = h("div", {class: "visually-hidden", "aria-live": "polite"});
    let shown = items;
    let isDragging = false;
    let isOutdated = false;

    async function moveTo(item, place, isFocused) {
        const end = Math.max(0, Math.min(place, shown.length - 1));
        if (shown.indexOf(item) === end) return;
        await move(item, end);
        draw();
        show(live, `${name(item)} is at place ${end + 1} of ${shown.length}.`);
        if (isFocused) element.children[end]?.querySelector("button")?.focus();
    }

    function draw() {
        isOutdated = isDragging;
        if (isDragging) return;
        shown = present();
        show(element, shown.map(line));
    }

    function line(item, place) {
        const press = (event) => {
            const target = {ArrowUp: place - 1, ArrowDown: place + 1, Home: 0, End: shown.length - 1}[event.key];
            if (target === undefined) return;
            event.preventDefault();
            moveTo(item, target, true);
        };
        const handle = h("button", {
            type: "button", class: "icon-button small handle", "aria-label": `Move ${name(item)}, place ${place + 1}`,
            title: "Drag, or use the arrow keys", onkeydown: press,
        }, icon("drag"));
        const line = h("li", {}, handle, content(item));
        handle.addEventListener("pointerdown", (event) => drag(event, handle, line, item));
        return line;
    }

    function drag(event, handle, line, item) {
        let target = null;
        const mark = (next) => {
            target?.classList.remove("over");
            target = next;
            target?.classList.add("over");
        };
        event.preventDefault();
        isDragging = true;
        handle.focus();
        handle.setPointerCapture(event.pointerId);
        line.classList.add("dragged");
        handle.onpointermove = ({clientX, clientY}) => {
            const under = document.elementFromPoint(clientX, clientY)?.closest("li");
            mark(under?.parentElement === element && under !== line ? under : null);
        };
        handle.onlostpointercapture = () => {
            handle.onpointermove = null;
            handle.onlostpointercapture = null;
            line.classList.remove("dragged");
            const place = [...element.children].indexOf(target);
            mark(null);
            isDragging = false;
            if (place >= 0) moveTo(item, place, true);
            else if (isOutdated) draw();
        };
    }

    draw();
    return {element: h("div", {}, element, live), show: draw};
}
