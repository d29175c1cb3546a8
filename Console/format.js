// SPDX-License-Identifier: Apache-2.0

// Values as people read them.

import {h} from "./dom.js";
import {isNumber, writeJSON} from "./json.js";
import {model} from "./model.js";
import {NUMBERS} from "./properties.js";

const dates = new Intl.DateTimeFormat(undefined, {dateStyle: "medium", timeStyle: "short"});
const relativeTimes = new Intl.RelativeTimeFormat(undefined, {numeric: "auto"});
const UNITS = [["year", 31_557_600], ["month", 2_629_800], ["day", 86_400], ["hour", 3600], ["minute", 60]];

/**
 * A value as the content of an element.
 *
 * @param {any} value
 * @param {import("./model.js").Attribute | import("./model.js").Relationship} [property]
 * @returns {import("./dom.js").Child}
 */
export function shown(value, property) {
    if (value === null || value === undefined) return h("span", {class: "nil"}, "nil");
    if (property?.kind === "relationship") {
        return Array.isArray(value) ? separated(value.map(reference)) : reference(value);
    }
    switch (property?.type) {
    case "Bool":
        return h("span", {class: value ? "yes" : "no"}, value ? "yes" : "no");
    case "Date":
        return h("time", {datetime: String(value), title: String(value)}, date(value));
    case "Binary":
        return h("span", {class: "quiet"}, bytes(value.bytes));
    case "URI":
        return link(String(value));
    }
    if (property?.isColor && /^#[0-9a-f]{3,8}$/i.test(value)) return [swatch(value), value];
    if (isNumber(value)) return h("span", {class: "number"}, number(value));
    if (typeof value === "object") return h("code", {}, writeJSON(value));
    return String(value);
}

/** An address as a link, if it is one of the web's. Others, such as `javascript:`, stay text. */
function link(text) {
    return /^https?:/i.test(text) ? h("a", {href: text, target: "_blank", rel: "noopener noreferrer"}, text) : text;
}

function swatch(color) {
    const element = h("span", {class: "swatch"});
    element.style.setProperty("--color", color);
    return element;
}

function separated(children) {
    return children.flatMap((child, place) => place === 0 ? [child] : [", ", child]);
}

/** A link to an object. @param {string | Record<string, any> | null} value A reference, or an included object. */
export function reference(value) {
    if (value === null) return h("span", {class: "nil"}, "nil");
    const id = typeof value === "string" ? value : value._id;
    return h("a", {href: `#/object/${id}`, class: "reference", title: id}, titleOf(value));
}

/** What names an object to people: the value of its naming attribute, or its reference. */
export function titleOf(object) {
    if (typeof object === "string") return object;
    const naming = (model.find(object._entity) ?? model.entityOf(object._id))?.naming;
    const text = naming === undefined ? null : object[naming.name];
    return text === null || text === undefined || text === "" ? object._id : String(text);
}

/** A date in the person's language and time zone. */
export function date(value) {
    const time = new Date(String(value));
    return Number.isNaN(time.getTime()) ? String(value) : dates.format(time);
}

/** How long ago a date is: “5 minutes ago”. */
export function ago(value) {
    const seconds = (new Date(value).getTime() - Date.now()) / 1000;
    const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
    return relativeTimes.format(Math.round(seconds / length), unit);
}

/** A number with its digits in groups. None is lost. */
export function number(value) {
    const [, sign, whole, rest = ""] = /^(-?)(\d+)(\.\d+)?$/.exec(String(value)) ?? [];
    return whole === undefined ? String(value) : sign + whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") + rest;
}

/** A number with at most two digits after the point. @param {number} value */
export function roundedNumber(value) {
    const text = value.toFixed(2);
    return number(text.replace(/\.?0+$/, ""));
}

export function bytes(count) {
    const units = ["B", "kB", "MB", "GB", "TB"];
    let size = Number(count);
    let unit = 0;
    while (size >= 1000 && unit < units.length - 1) {
        size /= 1000;
        unit += 1;
    }
    return `${unit === 0 ? size : size.toFixed(size < 10 ? 1 : 0)}\u00a0${units[unit]}`;
}

/** A number of things: `counted(3, "object")`. */
export function counted(count, one, many = one + "s") {
    return `${number(count)} ${Number(count) === 1 ? one : many}`;
}

/** Whether the values of a property are aligned at the right. */
export function isNumeric(property) {
    return NUMBERS.has(property.type);
}

/** JSON in lines and colors, where references are links. @returns {import("./dom.js").Child} */
export function json(value, indentation = "") {
    if (typeof value === "string") {
        const isReference = /^[\w-]+\/[\w-]+$/.test(value) && model.entityOf(value) !== null;
        const text = JSON.stringify(value);
        return h("span", {class: "s"}, isReference ? h("a", {href: `#/object/${value}`}, text) : text);
    }
    if (isNumber(value)) return h("span", {class: "n"}, String(value));
    if (value === null || typeof value !== "object") return h("span", {class: "w"}, String(value));
    const inner = indentation + "  ";
    const [open, close] = Array.isArray(value) ? "[]" : "{}";
    const members = Array.isArray(value)
        ? value.map((one) => [json(one, inner)])
        : Object.entries(value).map(([key, one]) =>
            [h("span", {class: "k"}, JSON.stringify(key)), ": ", json(one, inner)]);
    if (members.length === 0) return open + close;
    const lines = members.map((member, place) => ["\n" + inner, ...member, place + 1 < members.length ? "," : ""]);
    return [open, lines, "\n" + indentation, close];
}
