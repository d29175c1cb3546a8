// SPDX-License-Identifier: Apache-2.0

// Icons, drawn as lines on a square of 16. They are decoration: what has only an icon needs a label besides.

import {svg} from "./dom.js";

const PATHS = {
    add: "M8 3v10M3 8h10",
    back: "M10 3 5 8l5 5",
    check: "m3 8.5 3.2 3.2L13 4.8",
    close: "m4 4 8 8M12 4l-8 8",
    columns: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
    copy: "M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",
    down: "m4 6.5 4 4 4-4",
    download: "M8 2.5v7.5M4.8 7 8 10.2 11.2 7M3 13.5h10",
    drag: "M6 3.5h.01M10 3.5h.01M6 8h.01M10 8h.01M6 12.5h.01M10 12.5h.01",
    draft: "m3 13 .6-2.8L10.8 3l2.2 2.2-7.2 7.2z",
    filter: "M2.5 3.5h11L9.3 8.6v3.9l-2.6-1.3V8.6z",
    history: "M2.8 8a5.2 5.2 0 1 0 1.8-3.9M2.6 2.6l.3 2.9 2.9-.3M8 5v3.2l2.1 1.3",
    link: "M6.7 9.3a2.6 2.6 0 0 0 3.7 0l2-2a2.6 2.6 0 0 0-3.7-3.7l-.8.8M9.3 6.7a2.6 2.6 0 0 0-3.7 0l-2 2a2.6 2.6 0 0 0 3.7 3.7l.8-.8",
    menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
    moon: "M13 9.6A5.6 5.6 0 0 1 6.4 3a5.6 5.6 0 1 0 6.6 6.6z",
    more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
    person: "M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8zM3 13.5c.4-2.4 2.4-3.6 5-3.6s4.6 1.2 5 3.6",
    redo: "M13 6.2H6.3a3.6 3.6 0 0 0 0 7.2H9M10.2 3.3 13 6.2l-2.8 2.9",
    refresh: "M13 7a5.2 5.2 0 0 0-9.4-2L2.8 6M2.8 2.8V6H6M3 9a5.2 5.2 0 0 0 9.4 2l.8-1M13.2 13.2V10H10",
    search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2",
    sun: "M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M12.4 3.6l-1 1M4.6 11.4l-1 1",
    theme: "M8 2.5a5.5 5.5 0 0 0 0 11zM8 13.5a5.5 5.5 0 0 0 0-11z",
    trash: "M3 4.5h10M6 4.5v-2h4v2M4.3 4.5l.6 9h6.2l.6-9M6.7 7v4M9.3 7v4",
    undo: "M3 6.2h6.7a3.6 3.6 0 0 1 0 7.2H7M5.8 3.3 3 6.2l2.8 2.9",
    up: "m4 9.5 4-4 4 4",
    upload: "M8 10.2V2.7M4.8 5.7 8 2.5l3.2 3.2M3 13.5h10",
    warning: "M8 2.5 14 13.2H2zM8 6.7v3M8 11.4h.01",
};

/** These are dots, which need thicker lines. */
const DOTTED = new Set(["drag", "more"]);

/**
 * @param {keyof typeof PATHS} name
 * @returns {SVGElement}
 */
export function icon(name) {
    const path = svg("path", {d: PATHS[name], "stroke-width": DOTTED.has(name) ? 2.4 : null});
    return svg("svg", {class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true"}, path);
}
