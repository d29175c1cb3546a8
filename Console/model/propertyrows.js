// SPDX-License-Identifier: Apache-2.0

// The rows of the model editor: one for each attribute and each relationship of an entity.

import {h} from "../dom.js";
import {exactNumber, writeJSON} from "../json.js";
import {NUMBERS} from "../properties.js";
import {compactAttribute, compactRelationship, expandedAttribute, expandedRelationship} from "./shapes.js";

const TYPES = [
    "String", "Int16", "Int32", "Int64", "Double", "Float", "Decimal", "Bool", "Date", "UUID", "URI", "Binary",
    "Transformable",
];
const RULES = ["nullify", "cascade", "deny", "noAction"];
const BOUNDS = ["default", "min", "max", "minLength", "maxLength", "pattern"];

export const ATTRIBUTE_HEADS = ["Name", "Type", "Optional", "Default", "Least", "Most", "Pattern", ""];
export const RELATIONSHIP_HEADS = ["Name", "Destination", "To many", "Ordered", "Optional", "Inverse", "On delete", ""];

/**
 * What a row needs of the editor.
 *
 * @typedef {object} RowOptions
 * @property {string[]} choices The types, or the destinations.
 * @property {string} key What identifies the row after it was drawn again.
 * @property {string | undefined} formerName Its name in the served model, if that is another one.
 * @property {(next: string) => void} rename
 * @property {() => void} remove
 * @property {() => void} redraw
 */

/** The types that an attribute may have. @param {Record<string, any>} version */
export function attributeTypes(version) {
    return [...TYPES, ...Object.keys(version.composites ?? {})];
}

/** @param {Record<string, any>} members @param {string} name @param {RowOptions} options */
export function attributeRow(members, name, options) {
    const long = expandedAttribute(members[name]);
    const isText = long.type === "String";
    const write = () => {
        members[name] = compactAttribute(long);
    };
    const setType = (type) => {
        changeType(long, type);
        write();
        options.redraw();
    };
    const bound = (label, key, read = plainValue) => {
        const value = long[key] === undefined ? "" : valueText(long[key]);
        return textCell(label, name, value, options, (text) => {
            if (text === "") delete long[key];
            else long[key] = read(text);
            write();
        });
    };
    return h("tr", {}, nameCell(name, options),
        selectCell("Type", name, options.choices, long.type, options, setType),
        checkCell("Optional", name, long.optional, options, (isOn) => {
            long.optional = isOn;
            write();
        }),
        bound("Default", "default", (text) => defaultValue(long.type, text)),
        bound("Least", isText ? "minLength" : "min"), bound("Most", isText ? "maxLength" : "max"),
        isText ? bound("Pattern", "pattern", (text) => text) : h("td", {class: "no-field"}), removeCell(name, options));
}

/** Values of another kind of type, such as bounds, don't fit any more. */
function changeType(long, type) {
    const kind = (one) => NUMBERS.has(one) ? "number" : one;
    if (kind(long.type) !== kind(type)) {
        for (const key of BOUNDS) delete long[key];
    }
    delete long.xcode;
    long.type = type;
}

function valueText(value) {
    return typeof value === "string" ? value : writeJSON(value);
}

function plainValue(text) {
    return /^-?\d+(\.\d+)?$/.test(text) ? exactNumber(text) : text;
}

function defaultValue(type, text) {
    if (type === "Bool") return /^(true|yes|1)$/i.test(text);
    return NUMBERS.has(type) ? plainValue(text) : text;
}

/** @param {Record<string, any>} members @param {string} name @param {RowOptions} options */
export function relationshipRow(members, name, options) {
    const long = expandedRelationship(members[name]);
    const set = (key) => (value) => {
        long[key] = value;
        members[name] = compactRelationship(long);
    };
    return h("tr", {}, nameCell(name, options),
        selectCell("Destination", name, options.choices, long.destination, options, set("destination")),
        checkCell("To many", name, long.isToMany, options, set("isToMany")),
        checkCell("Ordered", name, long.isOrdered, options, set("isOrdered")),
        checkCell("Optional", name, long.isOptional, options, set("isOptional")),
        textCell("Inverse", name, long.inverse ?? "", options, (text) => set("inverse")(text || undefined)),
        selectCell("On delete", name, RULES, long.deleteRule ?? "nullify", options, set("deleteRule")),
        removeCell(name, options));
}

function nameCell(name, {key, formerName, rename}) {
    const change = (event) => rename(event.target.value.trim());
    const input = h("input", {
        "aria-label": `Name of ${name}`, spellcheck: "false", data: {field: `${key}.Name`}, $value: name,
        onchange: change,
    });
    const former = formerName === undefined ? null : h("small", {class: "quiet"}, `was ${formerName}`);
    return h("td", {data: {label: "Name"}, class: "name"}, input, former);
}

function textCell(label, name, value, {key}, change) {
    return h("td", {data: {label}}, h("input", {
        "aria-label": `${label} of ${name}`, spellcheck: "false", data: {field: `${key}.${label}`}, $value: value,
        oninput: (event) => change(event.target.value.trim()),
    }));
}

function selectCell(label, name, choices, chosen, {key}, change) {
    const all = choices.includes(chosen) ? choices : [chosen, ...choices];
    const options = all.map((one) => h("option", {value: one, selected: one === chosen}, one));
    return h("td", {data: {label}}, h("select", {
        "aria-label": `${label} of ${name}`, data: {field: `${key}.${label}`},
        onchange: (event) => change(event.target.value),
    }, options));
}

function checkCell(label, name, isOn, {key}, change) {
    return h("td", {data: {label}, class: "check"}, h("input", {
        type: "checkbox", "aria-label": `${name}: ${label.toLowerCase()}`, data: {field: `${key}.${label}`},
        $checked: isOn, onchange: (event) => change(event.target.checked),
    }));
}

function removeCell(name, {remove}) {
    return h("td", {class: "remove"}, h(
        "button", {type: "button", class: "small plain", "aria-label": `Remove ${name}`, onclick: remove}, "×",
    ));
}
