// SPDX-License-Identifier: Apache-2.0

// What a cell shows.

import {h} from "../dom.js";
import {shown, titleOf} from "../format.js";

const LONGEST = 300;

/**
 * @param {any} row
 * @param {import("../model.js").Attribute | import("../model.js").Relationship} property
 * @param {{isLink: boolean, isNaming: boolean, hasKinds: boolean}} options
 *   `isLink` makes it lead to the object; `hasKinds` adds the object's entity.
 * @returns {import("../dom.js").Child}
 */
export function content(row, property, {isLink, isNaming, hasKinds}) {
    const value = row[property.name];
    if (!isLink) return withoutFocus(shown(short(value), property));
    const isNil = value === null || value === undefined;
    const text = isNil ? row._id : shown(short(value), {...property, type: linkType(property)});
    return [
        h("a", {href: `#/object/${row._id}`, tabindex: "-1"}, isNaming ? titleOf(row) : text),
        hasKinds ? h("span", {class: "badge kind"}, row._entity) : null,
    ];
}

/** A link can't contain another one. */
function linkType(property) {
    return property.type === "URI" ? "String" : property.type;
}

/** A cell shows the beginning of a long text. */
function short(value) {
    return typeof value === "string" && value.length > LONGEST ? value.slice(0, LONGEST) + "…" : value;
}

/** Links in cells are reached by the cell, not by Tab. */
function withoutFocus(child) {
    for (const one of [child].flat()) {
        if (one instanceof HTMLAnchorElement) one.tabIndex = -1;
    }
    return child;
}
