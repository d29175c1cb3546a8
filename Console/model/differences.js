// SPDX-License-Identifier: Apache-2.0

// The differences between two versions of a model, as documents.

import {h} from "../dom.js";

/** Lines of what differs: `{kind, place, old, new}`. */
export function compare(old, next, place = []) {
    const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
    if (isObject(old) && isObject(next)) {
        return [...new Set([...Object.keys(old), ...Object.keys(next)])].flatMap((key) => compare(old[key], next[key], [...place, key]));
    }
    if (JSON.stringify(old) === JSON.stringify(next)) return [];
    return [{kind: old === undefined ? "added" : next === undefined ? "removed" : "changed", place, old, next}];
}

export function differences(old, next) {
    const found = compare({entities: old?.entities ?? {}, composites: old?.composites ?? {}}, {entities: next?.entities ?? {}, composites: next?.composites ?? {}});
    if (found.length === 0) return h("p", {class: "quiet"}, "There is no difference.");
    const text = (value) => value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
    return h("div", {class: "scroll"}, h("table", {class: "plain"}, h("thead", {}, h("tr", {}, ["", "What", "Before", "After"].map((one) => h("th", {}, one)))), h("tbody", {}, found.map((one) => h("tr", {},
        h("td", {}, h("span", {class: `badge ${{added: "good", removed: "bad", changed: "warn"}[one.kind]}`}, one.kind)), h("td", {}, one.place.slice(1).filter((part) => !["attributes", "relationships"].includes(part)).join(" › ")),
        h("td", {}, one.old === undefined ? "" : h("span", {class: "old"}, text(one.old))), h("td", {}, one.next === undefined ? "" : h("span", {class: "new"}, text(one.next))))))));
}
