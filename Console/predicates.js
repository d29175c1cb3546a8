// SPDX-License-Identifier: Apache-2.0

// The texts of predicates: values as literals, and conditions from what a person types into a filter.

import {model} from "./model.js";
import {NUMBERS} from "./properties.js";

/** The words that need a `#` before them as names of properties. */
const RESERVED_WORDS = new Set([
    "AND", "OR", "NOT", "IN", "LIKE", "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH", "BETWEEN", "ANY", "SOME", "ALL",
    "NONE",
    "NULL", "NIL", "TRUE", "YES", "FALSE", "NO", "SELF", "TRUEPREDICATE", "FALSEPREDICATE", "ANYKEY",
]);

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** @typedef {import("./model.js").Attribute | import("./model.js").Relationship} Property */

/** A text in quotation marks. @param {string} text */
export function quoted(text) {
    return `"${String(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** A path of properties' names as a key path; a reserved word at its beginning needs a mark. @param {string} path */
export function keyPath(path) {
    return RESERVED_WORDS.has(path.split(".")[0].toUpperCase()) ? `#${path}` : path;
}

/**
 * The condition that a parameter such as `author=users/7` stands for, with its arguments: objects have no literals.
 *
 * @param {import("./model.js").Entity} entity
 * @param {string} path
 * @param {string} text
 * @returns {{where: string, args: string[]}}
 */
export function equality(entity, path, text) {
    const {property} = resolve(entity, path);
    const name = keyPath(path);
    if (property?.kind === "relationship" || /(^|\.)_id$/.test(path)) {
        return {where: `${property?.isToMany ? "ANY " : ""}${name} == %@`, args: [text]};
    }
    const isPlain = property === null && NUMBER.test(text);
    const value = property?.type === "Bool" ? truth(text) : isPlain ? text : literal(property ?? {}, text);
    return {where: `${name} == ${value}`, args: []};
}

/**
 * The condition that a filter of a column has, or null if it is empty.
 *
 * `> 5`, `1..9`, `= text`, `!= text`, `nil`, `!nil`; any other text is looked for anywhere in texts, and compared with
 * other values.
 *
 * @param {Property} property
 * @param {string} typed
 * @returns {string | null}
 */
export function condition(property, typed) {
    const input = typed.trim();
    if (input === "") return null;
    const name = keyPath(property.name);
    if (/^(=\s*)?(nil|null)$/i.test(input)) return `${name} == nil`;
    if (/^(!=?|<>)\s*(nil|null)$/i.test(input)) return `${name} != nil`;
    const path = property.kind === "relationship" ? titlePath(property) : name;
    if (property.type === "Bool") return `${name} == ${truth(input)}`;
    const isOrdered = NUMBERS.has(property.type) || property.type === "Date";
    const range = isOrdered ? /^(.+?)\s*\.\.\s*(.+)$/.exec(input) : null;
    if (range !== null) {
        return `${path} >= ${literal(property, range[1])} AND ${path} <= ${literal(property, range[2], true)}`;
    }
    const [, operator, value] = /^(<=|>=|!=|<>|==?|<|>)?\s*(.*)$/s.exec(input);
    if (value === "" && operator !== undefined) return null;
    if (property.type === "Date") return dateCondition(property, path, operator ?? "=", value);
    if (operator !== undefined || isOrdered || property.type === "UUID") {
        return `${path} ${operator === undefined || operator === "=" ? "==" : operator} ${literal(property, value)}`;
    }
    return `${path} CONTAINS[cd] ${quoted(value)}`;
}

function truth(text) {
    return /^(y|t|1)/i.test(text) ? "YES" : "NO";
}

/** A day stands for all of its moments. */
function dateCondition(property, path, operator, value) {
    const first = literal(property, value);
    const last = literal(property, value, true);
    switch (operator) {
    case "=": case "==": return first === last ? `${path} == ${first}` : `${path} >= ${first} AND ${path} <= ${last}`;
    case "!=": case "<>": return first === last ? `${path} != ${first}` : `(${path} < ${first} OR ${path} > ${last})`;
    default: return `${path} ${operator} ${operator === ">" || operator === "<=" ? last : first}`;
    }
}

/**
 * A value as a literal.
 *
 * @param {Property} property
 * @param {string} typed
 * @param {boolean} [isEnd] Whether a day stands for its last moment.
 */
export function literal(property, typed, isEnd = false) {
    const input = typed.trim();
    if (property.type === "UUID") return `CAST(${quoted(input)}, "NSUUID")`;
    if (property.type === "Date") return `CAST(${quoted(moment(input, isEnd))}, "NSDate")`;
    if (property.type === "Decimal") return `CAST(${quoted(input)}, "NSDecimalNumber")`;
    if (NUMBERS.has(property.type)) return NUMBER.test(input) ? input : quoted(input);
    return quoted(typed);
}

/** The moment that a person's text means, in the person's time zone; or the text itself. */
function moment(text, isEnd) {
    const [, year, month, day] = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/.exec(text) ?? [];
    if (year === undefined) {
        const time = new Date(text);
        return Number.isNaN(time.getTime()) ? text : time.toISOString();
    }
    const begin = [Number(year), Number(month ?? 1) - 1, Number(day ?? 1)];
    const next = [begin[0] + (month ? 0 : 1), begin[1] + (month && !day ? 1 : 0), begin[2] + (day ? 1 : 0)];
    return (isEnd ? new Date(new Date(...next).getTime() - 1) : new Date(...begin)).toISOString();
}

/** The key path of what names the object that a to-one relationship has. @param {Property} relationship */
export function titlePath(relationship) {
    const naming = model.find(relationship.destination)?.naming;
    return naming === undefined ? keyPath(relationship.name) : `${keyPath(relationship.name)}.${keyPath(naming.name)}`;
}

/** Several conditions as one. @param {Array<string | null>} conditions */
export function allOf(conditions) {
    const parts = conditions.filter((one) => one !== null && one !== "");
    return parts.length === 1 ? parts[0] : parts.map((part) => `(${part})`).join(" AND ");
}

/**
 * The property at the end of a key path, and the entity that one would be in after it.
 *
 * @param {import("./model.js").Entity} entity
 * @param {string} path
 * @returns {{entity: import("./model.js").Entity | null, property: Property | null}}
 */
export function resolve(entity, path) {
    let place = entity;
    let property = null;
    for (const name of path.split(".").filter((part) => part !== "")) {
        if (name.startsWith("@")) return {entity: null, property: {kind: "attribute", name, type: "Int64"}};
        property = place?.property(name.replace(/^#/, "")) ?? null;
        if (property === null) return {entity: null, property: null};
        place = property.kind === "relationship" ? model.find(property.destination) : null;
    }
    return {entity: place, property};
}
