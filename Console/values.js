// SPDX-License-Identifier: Apache-2.0

// An editor for each type of attribute.

import {h} from "./dom.js";
import {exactNumber, readJSON, writeJSON} from "./json.js";
import {model} from "./model.js";
import {INTEGERS, makeAttribute, NUMBERS} from "./properties.js";

/**
 * @typedef {import("./properties.js").Attribute} Attribute
 *
 * @typedef {object} Editor
 * @property {HTMLElement} element What is shown.
 * @property {HTMLElement} control The element that has the value; a label is for it.
 * @property {() => any} value As the API takes it. Throws an error with a sentence if the text isn't a value.
 * @property {(value: any) => void} set
 *
 * @typedef {object} EditorOptions
 * @property {boolean} [isCompact] For a cell of a table: one control, without buttons.
 */

/**
 * Makes the editor of an attribute.
 *
 * @param {Attribute} attribute
 * @param {any} value What it begins with; undefined and null are nil.
 * @param {() => void} changed Called when the person has changed it.
 * @param {EditorOptions} [options]
 * @returns {Editor}
 */
export function makeEditor(attribute, value, changed, options = {}) {
    return makerFor(attribute, value)(attribute, value ?? null, changed, options);
}

function makerFor(attribute, value) {
    const {type} = attribute;
    if (attribute.choices !== null) return choiceEditor;
    if (attribute.isColor) return colorEditor;
    if (type === "Bool") return truthEditor;
    if (type === "Date" && isPickable(value)) return dateEditor;
    if (NUMBERS.has(type)) return numberEditor;
    if (model.composites[type] !== undefined) return compositeEditor;
    return type === "Transformable" ? jsonEditor : textEditor;
}

/** A control and, if the attribute is optional, a button that makes the value nil. */
function withNil(attribute, element, {isCompact}, setNil, extra = []) {
    const buttons = [...extra];
    if (attribute.isOptional) {
        const label = `Set ${attribute.name} to nil`;
        buttons.push(h("button", {type: "button", class: "nil-button", "aria-label": label, onclick: setNil}, "nil"));
    }
    if (isCompact || buttons.length === 0) return element;
    return h("div", {class: "with-buttons"}, element, h("span", {class: "field-buttons"}, buttons));
}

/** Texts. An emptied field of an optional attribute is nil; its button chooses between nil and the empty text. */
function textEditor(attribute, value, changed, options) {
    const {type, name, isOptional} = attribute;
    const isText = type === "String";
    const isLong = isText && (String(value ?? "").includes("\n") || (!options.isCompact && mayBeLong(attribute)));
    const control = isLong
        ? h("textarea", {rows: options.isCompact ? 3 : 1})
        : h(
            "input",
            {
                type: "text", inputmode: {URI: "url"}[type] ?? (/email/i.test(name) ? "email" : null),
                spellcheck: isText ? null : "false",
            },
        );
    let isNil = false;
    const mark = () => { control.placeholder = isNil ? "nil" : isText && control.value === "" ? "empty text" : ""; };
    const set = (next) => {
        isNil = next === null || next === undefined;
        control.value = isNil ? "" : String(next);
        mark();
    };
    const toggle = () => {
        set(isNil && isText ? "" : null);
        changed();
        control.focus();
    };
    control.addEventListener("input", () => {
        isNil = control.value === "" && (isOptional || !isText);
        mark();
        changed();
    });
    set(value);
    const text = () => isText ? control.value : control.value.trim();
    return {element: withNil(attribute, control, options, toggle), control, set, value: () => isNil ? null : text()};
}

function mayBeLong({maxLength, pattern}) {
    return pattern === undefined && (maxLength === undefined || maxLength > 255);
}

/** Numbers, as they are typed: digits aren't lost, and decimals stay exact. */
function numberEditor(attribute, value, changed, options) {
    const isWhole = INTEGERS.has(attribute.type);
    const control = h(
        "input",
        {
            type: "text", inputmode: isWhole ? "numeric" : "decimal", class: "number", placeholder: "nil",
            oninput: changed,
        },
    );
    const set = (next) => { control.value = next === null || next === undefined ? "" : String(next); };
    const setNil = () => {
        set(null);
        changed();
    };
    const read = () => {
        const typed = control.value.replace(/[\s\u202f]/g, "").replace(/^\+/, "");
        if (typed === "") return null;
        const isValid = isWhole ? /^-?\d+$/ : /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
        if (!isValid.test(typed)) throw new Error(`${attribute.name} needs a ${isWhole ? "whole " : ""}number.`);
        return attribute.type === "Decimal"
            ? typed : exactNumber(typed.replace(/^(-?)\./, "$10.").replace(/\.(?!\d)/, ""));
    };
    set(value);
    return {element: withNil(attribute, control, options, setNil), control, set, value: read};
}

function truthEditor(attribute, value, changed, options) {
    if (attribute.isOptional) return selectEditor([["", "nil"], ["yes", "yes"], ["no", "no"]], value, changed, {
        read: (text) => text === "" ? null : text === "yes", write: (one) => one === null ? "" : one ? "yes" : "no",
    });
    const control = h("input", {type: "checkbox", class: options.isCompact ? null : "switch", onchange: changed});
    const set = (next) => { control.checked = next === true; };
    set(value);
    return {element: h("div", {class: "check"}, control), control, set, value: () => control.checked};
}

function choiceEditor(attribute, value, changed) {
    const nil = attribute.isOptional ? [["", "nil"]] : value === null ? [["", "Choose …"]] : [];
    // A stored value may be none of the choices, if the model has changed since.
    const others = value === null || attribute.choices.includes(value) ? [] : [value];
    const entries = [...nil, ...[...others, ...attribute.choices].map((choice) => [choice, choice])];
    return selectEditor(
        entries, value, changed, {read: (text) => text === "" ? null : text, write: (one) => one ?? ""},
    );
}

function selectEditor(entries, value, changed, {read, write}) {
    const control = h("select", {onchange: changed}, entries.map(([key, label]) => h("option", {value: key}, label)));
    const set = (next) => { control.value = write(next ?? null); };
    set(value);
    return {element: control, control, set, value: () => read(control.value)};
}

/** Whether the browser's control can show a date. */
function isPickable(value) {
    if (value === null || value === undefined) return true;
    const year = new Date(String(value)).getUTCFullYear();
    return year > 1 && year < 9999;
}

/** Dates in local time. Fractions of a second are kept until the date is changed. */
function dateEditor(attribute, value, changed, options) {
    const control = h("input", {type: "datetime-local", step: "1"});
    let exact = null;
    const set = (next) => {
        exact = next ?? null;
        control.value = exact === null ? "" : localText(new Date(String(exact)));
    };
    const change = (next) => {
        set(next);
        changed();
    };
    control.addEventListener("input", () => {
        exact = control.value === "" ? null : isoText(new Date(control.value));
        changed();
    });
    set(value);
    const now = h(
        "button",
        {
            type: "button", class: "nil-button", "aria-label": `Set ${attribute.name} to now`,
            onclick: () => change(isoText(new Date())),
        },
        "now",
    );
    const read = () => {
        if (control.validity.badInput) throw new Error(`${attribute.name} needs a date and a time.`);
        return exact;
    };
    return {element: withNil(attribute, control, options, () => change(null), [now]), control, set, value: read};
}

function localText(time) {
    return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function isoText(time) {
    return Number.isNaN(time.getTime()) ? null : time.toISOString().replace(/\.\d+Z$/, "Z");
}

function colorEditor(attribute, value, changed, options) {
    const isColor = (text) => /^#[0-9a-f]{6}$/i.test(text ?? "");
    const pick = () => {
        text.set(well.value);
        changed();
    };
    const typed = () => {
        if (isColor(text.control.value)) well.value = text.control.value;
        changed();
    };
    const well = h("input", {type: "color", "aria-label": `${attribute.name}, color`, oninput: pick});
    const text = textEditor(attribute, value, typed, {isCompact: true});
    const set = (next) => {
        text.set(next);
        well.value = isColor(next) ? next : "#888888";
    };
    const setNil = () => {
        set(null);
        changed();
    };
    set(value);
    const both = h("div", {class: "color"}, well, text.control);
    return {
        element: options.isCompact ? text.control : withNil(attribute, both, options, setNil), control: text.control,
        set, value: text.value
    };
}

function jsonEditor(attribute, value, changed, options) {
    const control = h(
        "textarea",
        {class: "mono", rows: options.isCompact ? 4 : 2, spellcheck: "false", placeholder: "nil", oninput: changed},
    );
    const set = (next) => { control.value = next === null || next === undefined ? "" : writeJSON(next, ""); };
    const setNil = () => {
        set(null);
        changed();
    };
    const read = () => {
        if (control.value.trim() === "") return null;
        try {
            return readJSON(control.value);
        } catch {
            throw new Error(`${attribute.name} isn't JSON: texts and names need double quotes.`);
        }
    };
    set(value);
    return {element: withNil(attribute, control, options, setNil), control, set, value: read};
}

/** The elements of a composite, each with an editor of its own. It is nil if all of them are. */
function compositeEditor(attribute, value, changed, options) {
    if (options.isCompact) return jsonEditor(attribute, value, changed, options);
    const elements = Object.entries(model.composites[attribute.type].attributes ?? {}).map(makeAttribute);
    const parts = elements.map((element) => {
        const isCompact = model.composites[element.type] === undefined;
        const named = {...element, name: `${attribute.name} ${element.name}`};
        return [element.name, makeEditor(named, value?.[element.name], changed, {isCompact})];
    });
    const control = h("div", {class: "composite"}, parts.map(([name, part]) => {
        part.control.setAttribute("aria-label", `${attribute.name} ${name}`);
        return h("div", {class: "element"}, h("span", {class: "label", "aria-hidden": "true"}, name), part.element);
    }));
    const set = (next) => parts.forEach(([name, part]) => part.set(next?.[name] ?? null));
    const read = () => {
        const values = parts.map(([name, part]) => [name, part.value()]);
        return attribute.isOptional && values.every(([, one]) => one === null) ? null : Object.fromEntries(values);
    };
    return {element: control, control, set, value: read};
}
