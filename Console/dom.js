// SPDX-License-Identifier: Apache-2.0

// Makes elements. Text is only ever set as text, so stored markup stays text.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Makes an element: `h("a", {href: "#", onclick: f}, "text", child)`. Attributes that are null or false are left out;
 * `on…` adds a listener, and `$name` sets a property.
 *
 * @returns {HTMLElement}
 */
export function h(name, attributes = {}, ...children) { return fill(document.createElement(name), attributes, children); }

/** Makes an SVG element. */
export function svg(name, attributes = {}, ...children) {
    return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else if (key.startsWith("$")) element[key.slice(1)] = value;
        else element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...flat(children));
    return element;
}

function flat(children) { return children.flat(3).filter((child) => child !== null && child !== undefined && child !== false); }

/** Replaces what an element contains. */
export function show(element, ...children) {
    element.replaceChildren(...flat(children));
    return element;
}

/** Calls a function once a pause has followed the last call. */
export function debounced(call, milliseconds = 200) {
    let timer = 0;
    return (...values) => {
        clearTimeout(timer);
        timer = setTimeout(() => call(...values), milliseconds);
    };
}

/** What is remembered in this browser, as JSON. A browser that refuses to keep anything isn't an error. */
export const memory = {
    get(key, otherwise = null) {
        try { return JSON.parse(localStorage.getItem("outcrop." + key)) ?? otherwise; } catch { return otherwise; }
    },
    set(key, value) {
        try { localStorage.setItem("outcrop." + key, JSON.stringify(value)); } catch { /* Private windows may refuse. */ }
    },
};
