// SPDX-License-Identifier: Apache-2.0

// The result of a query, in tabs: a table, JSON, a chart, the SQL with its plan, and the same with curl and in Swift.

import {get, query} from "../api.js";
import {curl} from "../curl.js";
import {h, show} from "../dom.js";
import {counted, json, shown} from "../format.js";
import {isNumber, writeJSON} from "../json.js";
import {memory} from "../memory.js";
import {model} from "../model.js";
import {NUMBERS} from "../properties.js";
import {nameReferences} from "../titles.js";
import {copyButton, problem, table, tabs} from "../widgets.js";
import {chartPanel} from "./chartpanel.js";
import {swiftFetch} from "./swift.js";

const TAB = "query.tab";
const HIDDEN = new Set(["_entity", "_version"]);

/**
 * @param {import("../api.js").Answer} answer
 * @param {{
 *     entity: import("../model.js").Entity, path: string, asked: Record<string, any>,
 *     equalities: Record<string, string>,
 * }} request `equalities` are those of the asked parameters that test a property.
 * @returns {import("../dom.js").Child}
 */
export function resultOf(answer, {entity, path, asked, equalities}) {
    const items = answer.value.items ?? [answer.value];
    const panels = [
        ["Table", () => resultTable(items)], ["JSON", () => h("pre", {class: "json card"}, json(answer.value))],
        ["Chart", () => chartPanel(items, sortedBy(asked))], ["SQL and plan", () => plan(path, asked)],
        ["curl", () => code(curl("GET", path, asked))], ["Swift", () => code(swiftFetch(entity, asked, equalities))],
    ];
    const changed = (place) => memory.set(TAB, place);
    return [summary(answer, items), tabs("Result", panels, {selected: memory.get(TAB, 0), changed})];
}

function sortedBy({sort}) {
    return sort.split(",")[0].trim().replace(/^-/, "");
}

function summary({value, milliseconds, headers}, items) {
    const count = `${counted(items.length, "row")}${value.next ? ", and more" : ""}`;
    return h("p", {class: "row"}, h("span", {class: "badge good"}, count),
        h("span", {class: "badge"}, `${milliseconds.toFixed(1)} ms`),
        h("span", {class: "quiet mono"}, headers.get("Server-Timing") ?? ""));
}

function code(text) {
    return h("div", {class: "code-panel"}, h("pre", {class: "card mono"}, text), copyButton(text));
}

/** The rows as a table: columns are the keys of objects, and included objects show their titles. */
function resultTable(items) {
    if (items.length === 0) return h("p", {class: "quiet"}, "There are no rows.");
    const keys = [...new Set(items.flatMap((item) => Object.keys(item)))].filter((key) => !HIDDEN.has(key));
    const numbers = new Set(keys.map((key, place) => isNumeric(key, items) ? place : -1));
    const element = table(keys, items.map((item) => keys.map((key) => cell(item, key))), "Rows", {numbers});
    nameReferences(element);
    return element;
}

/** Whether a column has numbers. Decimal numbers come as texts. */
function isNumeric(key, items) {
    if (items.every((item) => item[key] === null || item[key] === undefined)) return false;
    const type = model.find(items[0]._entity)?.property(key)?.type;
    return NUMBERS.has(type) || items.every((item) => isNumber(item[key] ?? 0));
}

function cell(item, key) {
    const value = item[key];
    const property = model.find(item._entity)?.property(key);
    if (key === "_id") return h("a", {href: `#/object/${value}`}, value);
    if (Array.isArray(value)) return separated(value.map((one) => listed(one, property)));
    const isObject = value !== null && typeof value === "object" && value._id !== undefined;
    if (isObject || property?.kind === "relationship") return shown(value, {kind: "relationship"});
    const content = shown(value, property);
    const isText = typeof value === "string" && (property === undefined || property.type === "String");
    return isText ? h("div", {class: "clipped"}, content) : content;
}

function listed(value, property) {
    const isReference = property?.kind === "relationship" || value?._id !== undefined;
    return isReference ? shown(value, {kind: "relationship"}) : String(value);
}

function separated(contents) {
    return contents.map((content, place) => place > 0 ? [", ", content] : content);
}

/** How the stores execute the query. */
function plan(path, asked) {
    const element = h("div", {}, h("p", {class: "quiet"}, "…"));
    get(path + query({...asked, explain: "true"})).then(
        (answer) => show(element, (answer.items ?? []).map(statement)), (error) => show(element, problem(error)),
    );
    return element;
}

function statement({sql, bindings = [], plan: lines = [], usesIndex, evaluatedInMemory = []}) {
    const badge = usesIndex ? ["good", "uses an index"] : ["warn", "reads the whole table"];
    return h("div", {class: "card"}, h("pre", {class: "mono"}, sql),
        bindings.length === 0 ? null : h("p", {}, "Bindings: ", h("code", {}, writeJSON(bindings))),
        h("ul", {}, lines.map((line) => h("li", {}, h("code", {}, line)))),
        usesIndex === undefined ? null : h("span", {class: `badge ${badge[0]}`}, badge[1]),
        evaluatedInMemory.length === 0 ? null : h("p", {}, `Evaluated in memory: ${evaluatedInMemory.join(", ")}`));
}
