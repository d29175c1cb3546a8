// SPDX-License-Identifier: Apache-2.0

// The pages, and the place that the address names.

/**
 * @typedef {object} Place
 * @property {string} name The page's name.
 * @property {string[]} parts What follows it in the path: `["posts", "7"]` for `#/object/posts/7`.
 * @property {URLSearchParams} parameters
 *
 * @typedef {object} Page
 * @property {string} title For the window.
 * @property {HTMLElement} element
 * @property {() => void} [shown] Called when the element is in the document.
 * @property {() => void} [leave] Ends what the page has begun: streams, timers, listeners.
 * @property {(place: Place) => boolean} [update] Takes another place of the same page. False: the page is made again.
 * @property {() => boolean} [isEdited] Whether something would be lost by leaving. Then the person is asked.
 * @property {() => Promise<boolean>} [save] Saves what is edited, into the draft if there is one; false if it can't.
 *
 * @typedef {object} PageEntry
 * @property {string} name
 * @property {string} [label] What the navigation calls it. A page without a label isn't in the navigation.
 * @property {string} [key] The key that opens it after `g`.
 * @property {string} [parent] The page that the navigation shows as the present one.
 * @property {() => Promise<{page: (place: Place) => Promise<Page>}>} load
 */

/**
 * Each page has a folder with its modules and its `style.css`.
 *
 * @type {PageEntry[]}
 */
export const PAGES = [
    {name: "data", label: "Data", key: "d", load: () => import("./data/page.js")},
    {name: "object", parent: "data", load: () => import("./object/page.js")},
    {name: "model", label: "Model", key: "m", load: () => import("./model/page.js")},
    {name: "drafts", label: "Drafts", key: "f", load: () => import("./drafts/page.js")},
    {name: "query", label: "Query", key: "q", load: () => import("./query/page.js")},
    {name: "live", label: "Live", key: "l", load: () => import("./live/page.js")},
    {name: "access", label: "Access", key: "a", load: () => import("./access/page.js")},
    {name: "reference", load: () => import("./reference/page.js")},
];

/** The entry of a page. @param {string} name */
export function pageEntry(name) {
    return PAGES.find((entry) => entry.name === name);
}

/** The place of the present address. @returns {Place} */
export function presentPlace() {
    const [path, parameters = ""] = location.hash.slice(1).split("?");
    const [name = "data", ...parts] = path.split("/").filter((part) => part !== "").map(decoded);
    return {name, parts, parameters: new URLSearchParams(parameters)};
}

function decoded(part) {
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
}

/**
 * Goes to a place.
 *
 * @param {string} address Such as `#/object/posts/7`.
 * @param {{isReplacing?: boolean}} [options] Whether Back leads to what was before the present place.
 */
export function go(address, {isReplacing = false} = {}) {
    if (location.hash === address) dispatchEvent(new HashChangeEvent("hashchange"));
    else if (isReplacing) location.replace(address);
    else location.hash = address;
}
