// SPDX-License-Identifier: Apache-2.0

// The model's rules for values, checked while they are typed. The server has the last word: it checks everything again.

import {model} from "./model.js";
import {INTEGERS, makeAttribute, NUMBERS} from "./properties.js";

const INTEGER_BITS = {Int16: 16n, Int32: 32n, Int64: 64n};

/**
 * What is wrong with a value, as a sentence; or null.
 *
 * @param {import("./properties.js").Attribute | import("./properties.js").Relationship} property
 * @param {any} value
 * @returns {string | null}
 */
export function violation(property, value) {
    const {name} = property;
    if (value === null || value === undefined) {
        const isFine = property.isOptional || property.default !== undefined;
        return isFine ? null : `${name} needs ${property.kind === "relationship" ? "an object" : "a value"}.`;
    }
    if (property.kind === "relationship") return null;
    if (NUMBERS.has(property.type)) return numberViolation(property, String(value));
    if (property.type === "Date") return dateViolation(property, new Date(value));
    if (property.type === "String") return textViolation(property, value);
    if (property.type === "UUID" && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) {
        return `${name} needs a UUID, such as 3F2504E0-4F89-11D3-9A0C-0305E82C3301.`;
    }
    const composite = model.composites[property.type];
    return composite === undefined ? null : compositeViolation(property, composite, value);
}

function numberViolation({name, type, min, max}, text) {
    if (INTEGERS.has(type)) {
        const limit = 1n << (INTEGER_BITS[type] - 1n);
        const integer = BigInt(text);
        if (integer >= limit || integer < -limit) return `${name} must be between ${-limit} and ${limit - 1n}.`;
    }
    const number = Number(text);
    if (min !== undefined && number < Number(String(min))) return `${name} must be at least ${min}.`;
    return max !== undefined && number > Number(String(max)) ? `${name} must be at most ${max}.` : null;
}

function dateViolation({name, min, max}, time) {
    if (Number.isNaN(time.getTime())) return `${name} needs a date, such as 2026-05-31T12:00:00Z.`;
    if (min !== undefined && time < modelDate(min)) return `${name} must not be before ${min}.`;
    return max !== undefined && time > modelDate(max) ? `${name} must not be after ${max}.` : null;
}

/** A date of the model: ISO 8601, or the seconds since the start of 2001. */
function modelDate(value) {
    return typeof value === "string" ? new Date(value) : new Date(Date.UTC(2001, 0) + Number(value) * 1000);
}

function textViolation({name, minLength, maxLength, pattern}, text) {
    if (minLength !== undefined && text.length < minLength) {
        return text === "" ? `${name} needs a text.` : `${name} needs at least ${minLength} characters.`;
    }
    if (maxLength !== undefined && text.length > maxLength) {
        return `${name} may have at most ${maxLength} characters; these are ${text.length}.`;
    }
    const expression = pattern === undefined ? null : expressionOf(pattern);
    return expression === null || expression.test(text) ? null : `${name} doesn't match ${pattern}.`;
}

/**
 * The server's expressions are ICU's. One that JavaScript can't read is left to the server, and so is one with classes
 * of words and digits, which to JavaScript have the letters and digits of ASCII alone.
 */
function expressionOf(pattern) {
    if (/\\[wWdDbB]/.test(pattern)) return null;
    try {
        return new RegExp(`^(?:${pattern})$`, "u");
    } catch {
        return null;
    }
}

function compositeViolation({name}, composite, value) {
    for (const element of Object.entries(composite.attributes ?? {}).map(makeAttribute)) {
        const wrong = violation({...element, name: `${name}.${element.name}`}, value[element.name] ?? null);
        if (wrong !== null) return wrong;
    }
    return null;
}
