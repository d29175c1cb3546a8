// SPDX-License-Identifier: Apache-2.0

// Where one was in a list, so that it is the same after an object was opened: the scrolled place, the focused cell, and
// the edits that can be undone.

import {events} from "../session.js";

/** How many lists are remembered. */
const MOST = 40;

/**
 * By the address of the list.
 *
 * @type {Map<string, {top: number, left: number, focus: {place: number, column: number}}>}
 */
const places = new Map();

/**
 * @typedef {object} Edit
 * @property {string} name The property.
 * @property {any} before
 * @property {Record<string, any>} saved The object with the version that the edit was based on, and the saved value.
 */

/** By the name of the entity. @type {Map<string, Edit[]>} */
const edits = new Map();

events.addEventListener("session", () => {
    places.clear();
    edits.clear();
});

/** The edits in the lists of an entity, the latest last. @param {import("../model.js").Entity} entity */
export function editsOf(entity) {
    if (!edits.has(entity.name)) edits.set(entity.name, []);
    return edits.get(entity.name);
}

/** Remembers the place in a list that is left. @param {import("./list.js").List} list */
export function keepPlace({conditions, grid}) {
    const {scrollTop, scrollLeft} = grid.element;
    places.delete(conditions.address);
    places.set(conditions.address, {top: scrollTop, left: scrollLeft, focus: grid.focus});
    if (places.size > MOST) places.delete(places.keys().next().value);
}

/** Returns to the place in a list, once it is known how long the list is. @param {import("./list.js").List} list */
export function restorePlace({conditions, grid}) {
    const place = places.get(conditions.address);
    if (place === undefined) return;
    places.delete(conditions.address);
    grid.element.scrollTop = place.top;
    grid.element.scrollLeft = place.left;
    const isElsewhere = ![document.body, document.getElementById("main")].includes(document.activeElement);
    if (isElsewhere) grid.focus = place.focus;
    else grid.goTo(place.focus.place, place.focus.column);
}
