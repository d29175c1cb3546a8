// SPDX-License-Identifier: Apache-2.0

// JSON without a digit lost: numbers that JavaScript would round stay the text that was sent.
"use strict";

/** A number that JavaScript has none for. */
class ExactNumber {
    constructor(text) { this.text = text; }
    toString() { return this.text; }
}

function isNumber(value) { return typeof value === "number" || value instanceof ExactNumber; }

/** What a text says, as by `JSON.parse`. */
function readJSON(text) {
    const token = /\s*(?:([{}\[\],:])|("[^"\\]*(?:\\.[^"\\]*)*")|(true|false|null)|(-?\d[\d.eE+-]*))/y;
    const next = () => {
        const match = token.exec(text);
        if (match === null) throw new SyntaxError("The answer isn't JSON.");
        return match;
    };
    const value = ([, mark, string, word, number]) => {
        if (number !== undefined) return String(Number(number)) === number ? Number(number) : new ExactNumber(number);
        if (mark === undefined) return JSON.parse(string ?? word);
        const isList = mark === "[";
        // An object without a prototype may have a key of any name.
        const values = isList ? [] : Object.create(null);
        for (let match = next(); match[1] !== (isList ? "]" : "}"); match = next()) {
            if (match[1] === ",") continue;
            if (isList) values.push(value(match));
            else { next(); values[JSON.parse(match[2])] = value(next()); }
        }
        return values;
    };
    return value(next());
}

/** A value as text, in lines where there is an indentation. */
function writeJSON(value, indentation = null) {
    if (value instanceof ExactNumber) return value.text;
    if (value === null || typeof value !== "object") return JSON.stringify(value);
    const inner = indentation === null ? null : indentation + "  ";
    const members = Array.isArray(value) ? value.map((element) => writeJSON(element, inner))
        : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${inner === null ? "" : " "}${writeJSON(member, inner)}`);
    const [open, close] = Array.isArray(value) ? "[]" : "{}";
    if (inner === null || members.length === 0) return open + members.join(",") + close;
    return `${open}\n${inner}${members.join(`,\n${inner}`)}\n${indentation}${close}`;
}
