// SPDX-License-Identifier: Apache-2.0

// Predicates: built from the fields of a filter row, and completed while they are written.

import {dataPath, get, query} from "./api.js";
import {h, show} from "./dom.js";
import {model, NUMBERS} from "./model.js";
import {suggestions} from "./widgets.js";

/** A text in quotation marks, as predicates have it. */
export function quoted(text) { return `"${String(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`; }

/**
 * The predicate of a filter field: `> 5`, `5..10`, `nil`, `= text`, or a part of a text.
 *
 * @returns {string | null} Nil for an empty field.
 */
export function condition(property, text) {
    const input = text.trim();
    if (input === "") return null;
    const path = property.kind === "relationship" ? titlePath(property) : property.name;
    if (/^(nil|null|none)$/i.test(input)) return `${property.name} == nil`;
    if (/^(!\s*nil|!\s*null|any|not nil)$/i.test(input)) return `${property.name} != nil`;
    if (property.type === "Bool" || property.type === "Boolean") return `${path} == ${/^(yes|true|1)$/i.test(input) ? "YES" : "NO"}`;
    const [, operator = "", value] = /^(<=|>=|!=|<>|==?|<|>)?\s*(.*)$/s.exec(input);
    const comparison = operator === "=" || operator === "" ? "==" : operator;
    const isOrdered = NUMBERS.has(property.type) || property.type === "Date";
    const range = isOrdered ? /^(.+?)\.\.(.+)$/.exec(value) : null;
    if (range !== null) return `${path} >= ${literal(property, range[1])} AND ${path} <= ${literal(property, range[2])}`;
    if (isOrdered || property.type === "UUID" || operator !== "") return `${path} ${comparison} ${literal(property, value)}`;
    return `${path} CONTAINS[cd] ${quoted(value)}`;
}

/** A value as a predicate has it. */
export function literal(property, text) {
    const input = text.trim();
    if (property.type === "UUID") return `CAST(${quoted(input)}, "NSUUID")`;
    if (NUMBERS.has(property.type)) return /^-?\d+(\.\d+)?$/.test(input) ? input : quoted(input);
    if (property.type !== "Date") return quoted(text);
    const time = new Date(input);
    return `CAST(${quoted(Number.isNaN(time.getTime()) ? input : time.toISOString())}, "NSDate")`;
}

function titlePath(relationship) {
    const title = model.find(relationship.destination)?.title;
    return title === undefined ? relationship.name : `${relationship.name}.${title.name}`;
}

const OPERATORS = {
    text: ["==", "!=", "CONTAINS[cd]", "BEGINSWITH[cd]", "ENDSWITH[cd]", "LIKE[cd]", "MATCHES", "IN"],
    number: ["==", "!=", ">", ">=", "<", "<=", "BETWEEN", "IN"], date: ["==", "!=", ">", ">=", "<", "<="], bool: ["==", "!="], object: ["==", "!=", "IN"],
};
const WORDS = ["AND", "OR", "NOT", "ANY", "ALL", "NONE", "SUBQUERY(", "TRUEPREDICATE", "nil", "YES", "NO"];

/** The last words before the caret: what is completed, the path before it and the operator before that. */
export function context(text, caret) {
    const before = text.slice(0, caret);
    const word = /(?:"[^"]*|[\w$@.\[\]]*)$/.exec(before)[0];
    const rest = before.slice(0, before.length - word.length);
    const comparison = /([A-Za-z_][\w.]*)\s*(==|=|!=|<>|>=|<=|>|<|(?:CONTAINS|BEGINSWITH|ENDSWITH|LIKE|MATCHES)(?:\[\w+\])?)\s*$/i.exec(rest);
    const path = /(?:^|\b(?:AND|OR|NOT|ANY|ALL|NONE)\b|&&|\|\||[(!,])\s*([A-Za-z_][\w.@]*)\s+$/i.exec(rest);
    return {word, start: before.length - word.length, comparison, path: path !== null && !/^(AND|OR|NOT|ANY|ALL|NONE)$/i.test(path[1]) ? path[1] : null};
}

/** The property at the end of a key path, and the entity that it stands in. */
export function resolve(entity, path) {
    let at = entity, property = null;
    for (const name of path.split(".").filter((part) => part !== "")) {
        if (name.startsWith("@")) return {entity: at, property: {name, type: "Int64", kind: "attribute"}};
        property = at?.property(name) ?? null;
        if (property === null) return {entity: null, property: null};
        at = property.kind === "relationship" ? model.find(property.destination) : null;
    }
    return {entity: at, property};
}

function kindOf(property) {
    if (property.kind === "relationship") return "object";
    if (NUMBERS.has(property.type)) return "number";
    return {Date: "date", Bool: "bool", Boolean: "bool"}[property.type] ?? "text";
}

/**
 * A field for a predicate, with completion and the place of a mistake.
 *
 * @returns {{element: HTMLElement, input: HTMLInputElement, fail: (error: any) => void}}
 */
export function predicateField(entity, value, submit) {
    const input = h("input", {class: "mono", type: "text", spellcheck: "false", "aria-label": "Predicate", placeholder: "Predicate: views > 100 AND author.name BEGINSWITH[cd] \"a\"", $value: value});
    const place = h("div", {class: "place", "aria-live": "polite", hidden: true});
    const insert = (start, end, text) => {
        input.setRangeText(text, start, end, "end");
        input.dispatchEvent(new Event("input"));
    };
    const list = suggestions(input, async (text, caret) => {
        const {word, start, comparison, path} = context(text, caret);
        const choices = (labels, hint) => labels.filter((label) => label.toLowerCase().startsWith(word.toLowerCase()) && label !== word)
            .slice(0, 12).map((label) => ({label, hint, choose: () => insert(start, caret, label + " ")}));
        if (comparison !== null) return values(entity(), comparison[1], word, (literal) => insert(start, caret, literal + " "));
        if (path !== null) {
            const {property} = resolve(entity(), path);
            if (property !== null) return choices(OPERATORS[kindOf(property)], "operator");
        }
        if (word.startsWith('"')) return [];
        const dot = word.lastIndexOf(".");
        const base = dot < 0 ? entity() : resolve(entity(), word.slice(0, dot)).entity;
        if (base === null) return [];
        const prefix = word.slice(0, dot + 1), last = word.slice(dot + 1).toLowerCase();
        const isToMany = dot >= 0 && resolve(entity(), word.slice(0, dot)).property?.isToMany === true;
        const names = [...base.properties.filter((one) => one.isStored).map((one) => [one.name, one.kind === "relationship" ? `→ ${one.destination}` : one.type]), ...(isToMany ? [["@count", "number"]] : [])];
        const found = names.filter(([name]) => name.toLowerCase().startsWith(last) && (prefix + name) !== word).slice(0, 14)
            .map(([name, hint]) => ({label: prefix + name, hint, choose: () => insert(start, caret, prefix + name + (hint.startsWith("→") ? "" : " "))}));
        return [...found, ...(dot < 0 && text !== "" && word !== "" ? choices(WORDS, "") : [])];
    });
    input.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.defaultPrevented) submit(input.value); });
    input.addEventListener("change", () => submit(input.value));
    return {
        element: h("div", {class: "where"}, input, list, place), input,
        fail(error) {
            const isBad = error !== null;
            input.setAttribute("aria-invalid", String(isBad));
            place.hidden = !isBad;
            if (!isBad) return;
            const position = error.position === undefined ? null : Number(error.position);
            show(place, position === null ? "" : " ".repeat(position) + "▲ ", error.message, error.hint ? ` ${error.hint}` : "");
        },
    };
}

/** Values that an attribute has, as literals. */
async function values(entity, path, word, choose) {
    const {property} = resolve(entity, path);
    if (property === null || property.kind === "relationship") return [];
    if (kindOf(property) === "bool") return ["YES", "NO"].map((label) => ({label, choose: () => choose(label)}));
    if (property.choices) return property.choices.map((label) => ({label: quoted(label), choose: () => choose(quoted(label))}));
    if (property.type !== "String") return [];
    const part = word.replace(/^"/, "");
    try {
        const answer = await get(dataPath(entity.path) + query({result: "dictionary", distinct: "true", select: path, limit: 10, sort: path,
            where: `${path} != nil${part === "" ? "" : ` AND ${path} BEGINSWITH[cd] ${quoted(part)}`}`}));
        return answer.items.map((item) => item[path] ?? Object.values(item)[0]).filter((value) => typeof value === "string" && value.length < 80)
            .map((value) => ({label: quoted(value), choose: () => choose(quoted(value))}));
    } catch { return []; }
}
