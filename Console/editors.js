// SPDX-License-Identifier: Apache-2.0

// An editor for each type of attribute, and the rules that a value must follow while it is typed.

import {h, show} from "./dom.js";
import {ExactNumber, readJSON, writeJSON} from "./json.js";
import {model, NUMBERS} from "./model.js";

/**
 * Makes the editor of an attribute.
 *
 * @param {object} attribute
 * @param {any} value What it begins with.
 * @param {() => void} changed
 * @param {{id?: string, isCompact?: boolean}} options
 * @returns {{element: HTMLElement, input: HTMLElement, value: () => any, set: (value: any) => void}}
 *   `value` throws what is wrong with the text, as a sentence.
 */
export function editor(attribute, value, changed, options = {}) {
    const make = attribute.choices !== null && attribute.choices !== undefined ? choice : {
        Bool: truth, Boolean: truth, Date: moment, Transformable: document_, Binary: nothing,
    }[attribute.type] ?? (model.composites[attribute.type] ? composite : attribute.isColour ? colour : NUMBERS.has(attribute.type) ? amount : text);
    return make(attribute, value, changed, options);
}

/** What is wrong with a value by the model's rules, as a sentence; null if nothing is. */
export function violation(attribute, value) {
    const {name} = attribute;
    if (value === null || value === undefined) return attribute.isOptional || attribute.default !== undefined ? null : `${name} needs a value.`;
    if (NUMBERS.has(attribute.type)) {
        const number = Number(String(value));
        if (attribute.min !== undefined && number < Number(attribute.min)) return `${name} must be at least ${attribute.min}.`;
        if (attribute.max !== undefined && number > Number(attribute.max)) return `${name} must be at most ${attribute.max}.`;
        const limit = {Int16: 2 ** 15, Int32: 2 ** 31, Integer16: 2 ** 15, Integer32: 2 ** 31}[attribute.type];
        if (limit !== undefined && (number >= limit || number < -limit)) return `${name} must be between ${-limit} and ${limit - 1}.`;
    } else if (typeof value === "string" && attribute.type === "String") {
        if (attribute.minLength !== undefined && value.length < attribute.minLength) return `${name} needs at least ${attribute.minLength} characters.`;
        if (attribute.maxLength !== undefined && value.length > attribute.maxLength) return `${name} may have at most ${attribute.maxLength} characters; these are ${value.length}.`;
        if (attribute.pattern !== undefined) {
            let pattern = null;
            // The server's patterns are ICU's; those that JavaScript doesn't know are left to it.
            try { pattern = new RegExp(`^(?:${attribute.pattern})$`, "u"); } catch { return null; }
            if (!pattern.test(value)) return `${name} doesn't match ${attribute.pattern}.`;
        }
    }
    return null;
}

/** An input beside a button that clears it to nil, if the attribute is optional. */
function optional(attribute, input, changed, options, isNil, setNil) {
    if (!attribute.isOptional || options.isCompact) return input;
    const button = h("button", {type: "button", class: "small plain", title: "Set to nil", "aria-label": `Set ${attribute.name} to nil`, onclick: () => { setNil(); changed(); input.focus?.(); }}, "nil");
    return h("div", {class: "withnil"}, input, button);
}

function text(attribute, value, changed, options) {
    let isNil = value === null || value === undefined;
    const isLong = attribute.type === "String" && !options.isCompact && (attribute.maxLength === undefined || attribute.maxLength > 120) && attribute.pattern === undefined;
    const type = {URI: "url"}[attribute.type] ?? (/email/i.test(attribute.name) ? "email" : "text");
    const input = isLong ? h("textarea", {id: options.id, rows: 1}) : h("input", {type, id: options.id, spellcheck: attribute.type === "UUID" ? "false" : null});
    const set = (next) => { isNil = next === null || next === undefined; input.value = isNil ? "" : String(next); input.placeholder = isNil ? "nil" : ""; };
    set(value);
    input.addEventListener("input", () => { isNil = input.value === "" && (isNil || attribute.type !== "String" || attribute.isOptional); input.placeholder = isNil ? "nil" : ""; changed(); });
    return {element: optional(attribute, input, changed, options, isNil, () => set(null)), input, set, value: () => isNil ? null : attribute.type === "String" ? input.value : input.value.trim() === "" ? null : input.value.trim()};
}

function amount(attribute, value, changed, options) {
    const input = h("input", {type: "text", inputmode: /Int/.test(attribute.type) ? "numeric" : "decimal", id: options.id, class: "number"});
    const set = (next) => { input.value = next === null || next === undefined ? "" : String(next); input.placeholder = "nil"; };
    set(value);
    input.addEventListener("input", changed);
    return {element: optional(attribute, input, changed, options, null, () => set(null)), input, set, value: () => {
        const typed = input.value.trim().replace(/[\s\u202f]/g, "");
        if (typed === "") return null;
        const isWhole = /Int/.test(attribute.type);
        if (!(isWhole ? /^[+-]?\d+$/ : /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i).test(typed)) throw new Error(`${attribute.name} needs ${isWhole ? "a whole number" : "a number"}.`);
        if (attribute.type === "Decimal") return typed;
        return String(Number(typed)) === typed ? Number(typed) : new ExactNumber(typed.replace(/^\+/, ""));
    }};
}

function truth(attribute, value, changed, options) {
    if (!attribute.isOptional) {
        const input = h("input", {type: "checkbox", id: options.id, $checked: value === true, onchange: changed});
        return {element: h("div", {class: "readonly"}, input), input, set: (next) => { input.checked = next === true; }, value: () => input.checked};
    }
    const input = h("select", {id: options.id, onchange: changed}, h("option", {value: ""}, "nil"), h("option", {value: "yes"}, "yes"), h("option", {value: "no"}, "no"));
    const set = (next) => { input.value = next === true ? "yes" : next === false ? "no" : ""; };
    set(value);
    return {element: input, input, set, value: () => input.value === "" ? null : input.value === "yes"};
}

function choice(attribute, value, changed, options) {
    const input = h("select", {id: options.id, onchange: changed}, attribute.isOptional || value === undefined || value === null ? h("option", {value: ""}, attribute.isOptional ? "nil" : "Choose …") : null,
        attribute.choices.map((one) => h("option", {value: one}, one)));
    const set = (next) => { input.value = next ?? ""; };
    set(value);
    return {element: input, input, set, value: () => input.value === "" ? null : input.value};
}

/** Dates are edited in local time. Decimals of a second stay if the rest isn't changed. */
function moment(attribute, value, changed, options) {
    let exact = value ?? null;
    const local = (time) => new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
    const input = h("input", {type: "datetime-local", step: "1", id: options.id});
    const set = (next) => { exact = next ?? null; const time = new Date(next); input.value = next === null || next === undefined || Number.isNaN(time.getTime()) ? "" : local(time); };
    set(value);
    input.addEventListener("input", () => { exact = input.value === "" ? null : new Date(input.value).toISOString().replace(".000Z", "Z"); changed(); });
    const now = options.isCompact ? null : h("button", {type: "button", class: "small plain", onclick: () => { set(new Date().toISOString().replace(/\.\d+Z/, "Z")); changed(); }}, "now");
    const element = optional(attribute, input, changed, options, null, () => set(null));
    return {element: now === null ? element : h("div", {class: "withnil"}, element, now), input, set, value: () => exact};
}

function colour(attribute, value, changed, options) {
    const plain = text({...attribute, isOptional: false, pattern: attribute.pattern}, value, update, {...options, isCompact: true});
    const well = h("input", {type: "color", "aria-label": `${attribute.name} as a colour`, oninput: () => { plain.set(well.value); changed(); }});
    function update() { if (/^#[0-9a-f]{6}$/i.test(plain.input.value)) well.value = plain.input.value; changed(); }
    const set = (next) => { plain.set(next); if (/^#[0-9a-f]{6}$/i.test(next ?? "")) well.value = next; };
    set(value);
    if (options.isCompact) return {...plain, set};
    return {element: optional(attribute, h("div", {class: "row"}, well, h("span", {class: "spring"}, plain.input)), changed, options, null, () => set(null)), input: plain.input, set,
        value: () => plain.input.value === "" ? null : plain.input.value};
}

function document_(attribute, value, changed, options) {
    const input = h("textarea", {id: options.id, class: "mono", rows: options.isCompact ? 1 : 2, spellcheck: "false"});
    const set = (next) => { input.value = next === null || next === undefined ? "" : writeJSON(next, options.isCompact ? null : ""); input.placeholder = "nil"; };
    set(value);
    input.addEventListener("input", changed);
    return {element: input, input, set, value: () => {
        if (input.value.trim() === "") return null;
        try { return readJSON(input.value); } catch { throw new Error(`${attribute.name} isn't JSON.`); }
    }};
}

function composite(attribute, value, changed, options) {
    if (options.isCompact) return document_(attribute, value, changed, options);
    const elements = Object.entries(model.composites[attribute.type].attributes ?? {});
    const parts = elements.map(([name, shape]) => {
        const type = typeof shape === "string" ? shape : shape.type;
        const part = {...(typeof shape === "string" ? {} : shape), name, type: type.replace(/\?$/, ""), isOptional: true, kind: "attribute", choices: null, isColour: false};
        return [name, editor(part, value?.[name], changed, {isCompact: true})];
    });
    const element = h("div", {class: "card"}, parts.map(([name, part]) => {
        part.input.setAttribute("aria-label", `${attribute.name} ${name}`);
        return h("div", {class: "field"}, h("span", {class: "label"}, name), part.element);
    }));
    return {element, input: parts[0]?.[1].input ?? element, set: (next) => parts.forEach(([name, part]) => part.set(next?.[name] ?? null)), value: () => {
        const entries = parts.map(([name, part]) => [name, part.value()]);
        return entries.every(([, one]) => one === null) && attribute.isOptional ? null : Object.fromEntries(entries);
    }};
}

function nothing(attribute) {
    const element = h("span", {class: "quiet"}, "bytes");
    return {element, input: element, set: () => show(element, "bytes"), value: () => undefined};
}
