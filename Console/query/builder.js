// SPDX-License-Identifier: Apache-2.0

// Conditions, orders, columns and sums by clicks. They are written into the fields of the query.

import {h} from "../dom.js";
import {model} from "../model.js";
import {keyPath} from "../predicates.js";
import {NUMBERS} from "../properties.js";

const COUNT = "n:count(_id)";
const SUMS = ["sum", "average", "min", "max"];

/**
 * @param {import("../model.js").Entity} entity
 * @param {HTMLInputElement} where
 * @param {Map<string, HTMLInputElement>} fields
 * @returns {HTMLElement}
 */
export function builder(entity, where, fields) {
    const attributes = entity.attributes.filter((one) => one.isStored && one.type !== "Binary");
    const names = attributes.map((one) => one.name);
    const columns = [...names, ...entity.toOnes.map(titlePathOf)];
    const append = (name) => (text) => appendPart(fields.get(name), text);
    return h("div", {class: "row query-builder"},
        adder("+ condition", names, (name) => appendCondition(where, entity.property(name))),
        adder("+ order", names.flatMap((name) => [name, `-${name}`]), append("sort")),
        adder("+ column", columns, append("select")),
        adder("+ include", entity.relationships.map((one) => one.name), append("include")),
        adder("+ group by", columns, (name) => group(fields, name)),
        adder("+ aggregate", aggregates(attributes), append("aggregate")));
}

/** The path of what names the object that a to-one relationship has. */
function titlePathOf({name, destination}) {
    return `${name}.${model.find(destination)?.naming?.name ?? "_id"}`;
}

function aggregates(attributes) {
    const numbers = attributes.filter((one) => NUMBERS.has(one.type));
    return [COUNT, ...numbers.flatMap(({name}) => SUMS.map((verb) => `${name}_${verb}:${verb}(${name})`))];
}

/** A select that always shows its label, and adds what is chosen. */
function adder(label, options, add) {
    const choose = ({target}) => {
        if (target.value !== "") add(target.value);
        target.value = "";
    };
    return h("select", {"aria-label": label, onchange: choose}, h("option", {value: ""}, label),
        options.map((one) => h("option", {value: one}, one)));
}

/** Appends a part of a list, unless it is there. An order in the other direction is replaced. */
function appendPart(input, text) {
    const key = (part) => part.trim().replace(/^-/, "").replace(/:.*/s, "").replace(/\(.*/s, "");
    const parts = partsOf(input.value);
    const place = parts.findIndex((part) => key(part) === key(text));
    if (place < 0) parts.push(text);
    else if (text.startsWith("-") || parts[place].trim().startsWith("-")) parts[place] = text;
    input.value = parts.join(",");
}

/** The parts of a list, whose parentheses may have commas of their own. */
function partsOf(text) {
    return text.match(/(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|[^,])+/g) ?? [];
}

function group(fields, name) {
    appendPart(fields.get("group"), name);
    if (fields.get("aggregate").value === "") fields.get("aggregate").value = COUNT;
    fields.get("select").value = "";
    fields.get("include").value = "";
}

/** Appends a condition, and places the caret where its value belongs. */
function appendCondition(where, property) {
    const begin = where.value.trim() === "" ? "" : `${where.value.trimEnd()} AND `;
    const [before, after] = conditionOf(property);
    where.value = begin + before + after;
    where.focus();
    where.setSelectionRange(begin.length + before.length, begin.length + before.length);
    where.dispatchEvent(new Event("input"));
}

/** A condition by the type of its property: what is before its value, and what is after it. */
function conditionOf({name, type}) {
    const path = keyPath(name);
    if (type === "Bool") return [`${path} == YES`, ""];
    if (NUMBERS.has(type)) return [`${path} > `, ""];
    const today = `${new Date().toISOString().slice(0, 10)}T00:00:00Z`;
    if (type === "Date") return [`${path} >= CAST("${today}`, '", "NSDate")'];
    if (type === "UUID") return [`${path} == CAST("`, '", "NSUUID")'];
    return [`${path} == "`, '"'];
}
