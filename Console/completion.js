// SPDX-License-Identifier: Apache-2.0

// What may follow in a predicate while it is written: key paths, operators, values, and words that join conditions.

import {dataPath, get, query} from "./api.js";
import {keyPath, quoted, resolve} from "./predicates.js";
import {NUMBERS} from "./properties.js";

/**
 * @typedef {object} Completion
 * @property {string} label
 * @property {string} [hint]
 * @property {number} start Where the text begins that is replaced.
 * @property {string} insertion
 */

const TOKEN = /\s+|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[\w#$@.]+(?:\[\w*\]?)?|[<>=!]=?|&&|\|\||./gsy;
const COMPARISON = /^(?:[=<>]|[<>=!]=|<>|(?:CONTAINS|BEGINSWITH|ENDSWITH|LIKE|MATCHES|IN|BETWEEN)(?:\[\w*\])?)$/i;
const JOINING = /^(?:AND|OR|&&|\|\|)$/i;
const MODIFIER = /^(?:NOT|ANY|ALL|NONE|SOME|!)$/i;
const PATH = /^[A-Za-z_#][\w.@#]*$/;

const OPERATORS = {
    text: ["==", "!=", "CONTAINS[cd]", "BEGINSWITH[cd]", "ENDSWITH[cd]", "LIKE[cd]", "MATCHES", "IN"],
    ordered: ["==", "!=", ">", ">=", "<", "<=", "BETWEEN", "IN"],
    other: ["==", "!="],
};
const MOST = 14;

/**
 * The completions of a predicate.
 *
 * @param {import("./model.js").Entity} entity
 * @param {string} before The text before the caret.
 * @returns {Promise<Completion[]>}
 */
export async function completions(entity, before) {
    const tokens = [...before.matchAll(TOKEN)].map((match) => ({text: match[0], start: match.index}));
    const last = tokens.at(-1);
    const isInWord = last !== undefined && /^["'\w#$@.]/.test(last.text) && !isClosed(last.text);
    const word = isInWord ? last.text : "";
    const start = isInWord ? last.start : before.length;
    const finished = isInWord ? tokens.slice(0, -1) : tokens;
    const previous = finished.map(({text}) => text).filter((text) => text.trim() !== "");
    const complete = (labels, hint) => labels
        .filter((label) => label.toLowerCase().startsWith(word.toLowerCase()) && label !== word)
        .map((label) => ({label, hint, start, insertion: label + " "}));

    const expected = expectation(previous);
    if (expected.values !== undefined) return values(entity, expected.values, word, start);
    if (expected.operators !== undefined) {
        const {property} = resolve(entity, expected.operators);
        return property === null ? [] : complete(operatorsOf(property), "operator");
    }
    if (expected.isJoining) return complete(["AND", "OR"]);
    return [
        ...paths(entity, word, start),
        ...(word === "" ? [] : complete(["NOT", "ANY", "ALL", "NONE", "SELF", "TRUEPREDICATE"]))
    ]
        .slice(0, MOST);
}

function isClosed(text) {
    return /^(["']).*\1$/s.test(text) && text.length > 1;
}

/** What is expected after some tokens. */
function expectation(previous) {
    const last = previous.at(-1);
    const before = previous.at(-2);
    if (last === undefined || JOINING.test(last) || MODIFIER.test(last) || last === "(") return {};
    if (COMPARISON.test(last)) return {values: before ?? ""};
    if (last === "{" || last === ",") {
        const open = previous.lastIndexOf("{");
        return open >= 2 && !previous.includes("}", open) ? {values: previous[open - 2]} : {};
    }
    const isValue = COMPARISON.test(before ?? "") || !PATH.test(last);
    return isValue ? {isJoining: true} : {operators: last};
}

function operatorsOf(property) {
    if (property.type === "String" || property.type === "URI") return OPERATORS.text;
    return NUMBERS.has(property.type) || property.type === "Date" ? OPERATORS.ordered : OPERATORS.other;
}

/** The key paths that begin with a word. */
function paths(entity, word, start) {
    const dot = word.lastIndexOf(".");
    const prefix = word.slice(0, dot + 1);
    const {entity: owner, property} = dot < 0 ? {entity, property: null} : resolve(entity, prefix);
    if (owner === null || /^["']/.test(word)) return [];
    const last = word.slice(dot + 1).toLowerCase();
    const names = owner.properties.filter((one) => one.isStored).map((one) => [keyPath(one.name), hintOf(one), one]);
    if (property?.isToMany) names.push(["@count", "number of objects", null]);
    return names.filter(([name]) => name.toLowerCase().startsWith(last) && prefix + name !== word)
        .map(([name, hint, one]) => {
            // A relationship is continued by a dot, everything else by an operator.
            const isContinued = one?.kind === "relationship";
            return {label: prefix + name, hint, start, insertion: prefix + name + (isContinued ? "." : " ")};
        });
}

function hintOf(property) {
    if (property.kind === "attribute") return property.type;
    return property.isToMany ? `→ many ${property.destination}` : `→ ${property.destination}`;
}

/** Values that a property has, as literals. */
async function values(entity, path, word, start) {
    const {property} = resolve(entity, path);
    if (property === null) return [];
    const complete = (labels, hint) => labels.filter((label) =>
        label.toLowerCase().startsWith(word.toLowerCase()) && label !== word)
        .map((label) => ({label, hint, start, insertion: label + " "}));
    const nil = property.isOptional ? complete(["nil"]) : [];
    if (property.kind === "relationship") return nil;
    if (property.type === "Bool") return complete(["YES", "NO"]).concat(nil);
    if (property.type === "Date") return [...dates(word, start), ...nil];
    if (property.choices) return complete(property.choices.map(quoted)).concat(nil);
    if (property.type !== "String" || word.startsWith("'")) return nil;
    const found = await storedTexts(ownerOf(entity, path), property.name, word.replace(/^"/, ""));
    return [
        ...found.map((text) => ({label: quoted(text), hint: "value", start, insertion: quoted(text) + " "})), ...nil
    ];
}

function ownerOf(entity, path) {
    const dot = path.lastIndexOf(".");
    return dot < 0 ? entity : resolve(entity, path.slice(0, dot)).entity;
}

/** Some of the texts that an attribute has and that begin with a part. */
async function storedTexts(entity, name, part) {
    const path = keyPath(name);
    const where = part === "" ? `${path} != nil` : `${path} BEGINSWITH[cd] ${quoted(part)}`;
    try {
        const {items} = await get(dataPath(entity.path)
            + query({result: "dictionary", distinct: "true", select: name, sort: name, limit: 10, where}));
        return items.map((item) => item[name]).filter((value) => typeof value === "string" && value.length < 80);
    } catch {
        return [];
    }
}

/** Moments that people often compare with. */
function dates(word, start) {
    const now = new Date();
    const day = (offset) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + offset);
    const moments = [
        ["today", day(0)], ["yesterday", day(-1)], ["a week ago", day(-7)], ["a month ago", day(-30)],
        ["a year ago", day(-365)],
    ];
    return moments.map(([name, time]) => [name, `CAST("${time.toISOString().replace(/\.\d+/, "")}", "NSDate")`])
        .filter(([name, text]) =>
            word === "" || text.toLowerCase().startsWith(word.toLowerCase()) || name.startsWith(word))
        .map(([name, text]) => ({label: text, hint: name, start, insertion: text + " "}));
}
