// SPDX-License-Identifier: Apache-2.0

// Makes elements. Text is only ever set as text, so markup in stored values stays text.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false | Child[]} Child */

/**
 * Makes an element: `h("a", {href: "#/data", onclick: open}, "Data", icon("table"))`.
 *
 * Attributes that are null, undefined or false are left out, and true gives an empty one. `on…` adds a listener,
 * `$name` sets a property, and `data` sets data attributes. There is no `style`, which the content security
 * policy forbids.
 *
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function h(name, attributes = {}, ...children) {
    return fill(document.createElement(name), attributes, children);
}

/**
 * Makes an SVG element, as `h` does.
 *
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(name, attributes = {}, ...children) {
    return fill(document.createElementNS(SVG, name), attributes, children);
}

/**
 * Replaces what an element contains.
 *
 * @template {Element} E
 * @param {E} element
 * @param {...Child} children
 * @returns {E}
 */
export function show(element, ...children) {
    element.replaceChildren(...flat(children));
    return element;
}

/**
 * Replaces what an element contains, as `show` does. If a control in it has the focus, the control of the same name
 * gets it; where there is none any more, `otherwise` puts it elsewhere.
 *
 * @param {Element} element
 * @param {Child} children
 * @param {() => void} otherwise
 */
export function showAgain(element, children, otherwise) {
    const {activeElement} = document;
    const name = element.contains(activeElement) ? nameOf(activeElement) : null;
    show(element, children);
    if (name === null) return;
    const same = [...element.querySelectorAll("a, button:enabled, input, select")].find((one) => nameOf(one) === name);
    if (same === undefined) otherwise();
    else same.focus();
}

function nameOf(control) {
    return control.name || control.dataset.key || control.getAttribute("aria-label") || control.textContent;
}

/**
 * Delays a function until it hasn't been called for some time.
 *
 * @template {any[]} A
 * @param {(...values: A) => void} call
 * @param {number} [milliseconds]
 * @returns {(...values: A) => void}
 */
export function debounced(call, milliseconds = 200) {
    let timer = 0;
    return (...values) => {
        clearTimeout(timer);
        timer = setTimeout(() => call(...values), milliseconds);
    };
}

/**
 * Calls a function when somebody has paused typing into a field that is still shown. Until then the field is pending,
 * and `setValue` leaves it as it is.
 *
 * @param {HTMLInputElement} input
 * @param {(text: string) => void} changed
 */
export function listenForTyping(input, changed) {
    const report = debounced(() => {
        pending.delete(input);
        // The page may have been left meanwhile.
        if (input.isConnected) changed(input.value);
    }, 300);
    input.addEventListener("input", () => {
        pending.add(input);
        report();
    });
}

/** Sets the value of a field, unless somebody is typing into it. @param {HTMLInputElement | HTMLSelectElement} input */
export function setValue(input, value) {
    if (!pending.has(input) && input.value !== value) input.value = value;
}

const pending = new WeakSet();

let serial = 0;

/** An identifier that no other element of the page has. */
export function uniqueID(prefix) {
    serial += 1;
    return `${prefix}-${serial}`;
}

function fill(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (key === "style") throw new Error("An element's style is set by a class, or by style.setProperty.");
        if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else if (key.startsWith("$")) element[key.slice(1)] = value;
        else if (key === "data") Object.assign(element.dataset, value);
        else element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...flat(children));
    return element;
}

function flat(children) {
    return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}
