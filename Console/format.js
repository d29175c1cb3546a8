// SPDX-License-Identifier: Apache-2.0

// Values as people read them.

import {h} from "./dom.js";
import {isNumber, writeJSON} from "./json.js";
import {model, NUMBERS} from "./model.js";

const dates = new Intl.DateTimeFormat(undefined, {dateStyle: "medium", timeStyle: "short"});
const relative = new Intl.RelativeTimeFormat(undefined, {numeric: "auto"});

/** A value of an attribute or a to-one relationship, as content of an element. */
export function shown(value, property) {
    if (value === null || value === undefined) return h("span", {class: "nil"}, "nil");
    if (property?.kind === "relationship") return reference(value);
    switch (property?.type) {
    case "Bool": case "Boolean": return h("span", {class: value ? "yes" : "no"}, value ? "yes" : "no");
    case "Date": return h("time", {datetime: String(value), title: String(value)}, date(value));
    case "Binary": return h("a", {href: value.href, target: "_blank", rel: "noopener"}, bytes(value.bytes));
    case "URI": return link(String(value));
    }
    if (property?.isColour && /^#[0-9a-f]{3,8}$/i.test(value)) return [swatch(value), value];
    if (isNumber(value)) return h("span", {class: "number"}, number(value));
    if (typeof value === "object") return h("code", {}, writeJSON(value));
    return String(value);
}

function link(text) {
    return /^https?:/i.test(text) ? h("a", {href: text, target: "_blank", rel: "noopener noreferrer"}, text) : text;
}

function swatch(colour) {
    const element = h("span", {class: "swatch"});
    element.style.background = colour;
    return element;
}

/** A reference, or an object that was included, as a link to its page. */
export function reference(value) {
    if (value === null) return h("span", {class: "nil"}, "nil");
    const id = typeof value === "string" ? value : value._id;
    return h("a", {href: `#/object/${id}`, class: "reference", title: id}, titleOf(value));
}

/** What people know an object by: the value of its title, or its reference. */
export function titleOf(object) {
    if (typeof object === "string") return object;
    const title = model.find(object._entity)?.title;
    const text = title === undefined ? null : object[title.name];
    return text === null || text === undefined || text === "" ? object._id : String(text);
}

export function date(value) {
    const time = new Date(typeof value === "number" ? value : String(value));
    return Number.isNaN(time.getTime()) ? String(value) : dates.format(time);
}

/** “5 minutes ago”. */
export function ago(value) {
    const seconds = (new Date(value).getTime() - Date.now()) / 1000;
    for (const [unit, length] of [["day", 86_400], ["hour", 3600], ["minute", 60]]) {
        if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
    }
    return relative.format(Math.round(seconds), "second");
}

/** A number with its digits in groups, and none lost. */
export function number(value) {
    const text = String(value);
    const match = /^(-?)(\d+)(\.\d+)?$/.exec(text);
    if (match === null) return text;
    return match[1] + match[2].replace(/\B(?=(\d{3})+$)/g, "\u202f") + (match[3] ?? "");
}

export function bytes(count) {
    let size = Number(count), unit = 0;
    while (size >= 1000 && unit < 4) { size /= 1000; unit += 1; }
    return `${unit === 0 ? size : size.toFixed(size < 10 ? 1 : 0)} ${["B", "kB", "MB", "GB", "TB"][unit]}`;
}

export function counted(count, one, many = one + "s") { return `${number(count)} ${Number(count) === 1 ? one : many}`; }

/** Whether values of a property stand at the right. */
export function isNumeric(property) { return NUMBERS.has(property.type); }

/** A word for a shell, in quotes where it needs them. */
export function shellWord(text) {
    return /^[A-Za-z0-9_/.:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The curl line of a request: parameters that need escaping are given to --data-urlencode. */
export function curl(method, path, parameters = {}, body = null, headers = {}) {
    const pairs = Object.entries(parameters).flatMap(([name, value]) => [value].flat().map((one) => [name, one]))
        .filter(([, value]) => value !== "" && value !== null && value !== undefined && value !== false);
    const words = ["curl"];
    const isPlain = pairs.every(([, value]) => /^[A-Za-z0-9_.,:/-]*$/.test(String(value)));
    if (method !== "GET" && !(method === "POST" && body !== null)) words.push("-X", method);
    for (const [name, value] of Object.entries(headers)) words.push("-H", shellWord(`${name}: ${value}`));
    const inline = pairs.length > 0 && (isPlain || body !== null);
    const text = inline ? "?" + pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&") : "";
    if (!inline && pairs.length > 0) words.push("-G");
    words.push(shellWord(location.origin + path + text));
    if (!inline) for (const [name, value] of pairs) words.push("--data-urlencode", shellWord(`${name}=${value}`));
    if (body !== null) words.push("--json", shellWord(writeJSON(body)));
    return words.join(" ");
}

/** JSON in lines and colours. References are links. */
export function json(value, indent = "") {
    if (typeof value === "string") {
        const isReference = /^[\w-]+\/[\w-]+$/.test(value) && model.entityOf(value) !== null;
        return h("span", {class: "s"}, isReference ? h("a", {href: `#/object/${value}`}, JSON.stringify(value)) : JSON.stringify(value));
    }
    if (isNumber(value)) return h("span", {class: "n"}, String(value));
    if (value === null || typeof value !== "object") return h("span", {class: "w"}, String(value));
    const isList = Array.isArray(value);
    const parts = isList ? value.map((one) => [json(one, indent + "  ")])
        : Object.entries(value).map(([key, one]) => [h("span", {class: "k"}, JSON.stringify(key)), ": ", json(one, indent + "  ")]);
    if (parts.length === 0) return isList ? "[]" : "{}";
    return [isList ? "[" : "{", parts.map((part, index) => ["\n" + indent + "  ", ...part, index + 1 < parts.length ? "," : ""]), "\n" + indent, isList ? "]" : "}"];
}
