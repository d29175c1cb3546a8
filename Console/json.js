// SPDX-License-Identifier: Apache-2.0

// JSON without losing digits: a number that JavaScript would round is kept as the text that was sent.

/** A number that JavaScript can't represent. */
export class ExactNumber {
    /** @param {string} text */
    constructor(text) {
        this.text = text;
    }

    toString() {
        return this.text;
    }

    /** For comparisons by `JSON.stringify`, which has no other way to show it. */
    toJSON() {
        return `number ${this.text}`;
    }
}

/** @param {any} value */
export function isNumber(value) {
    return typeof value === "number" || value instanceof ExactNumber;
}

/** The number that a text stands for, exactly. JSON has no zeros at the beginning. @param {string} text */
export function exactNumber(text) {
    const plain = text.replace(/^(-?)0+(?=\d)/, "$1");
    return String(Number(plain)) === plain ? Number(plain) : new ExactNumber(plain);
}

const TOKEN = /\s*(?:([{}\[\],:])|("[^"\\]*(?:\\.[^"\\]*)*")|(true|false|null)|(-?\d[\d.eE+-]*))/y;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i;

/**
 * Reads JSON, as `JSON.parse` does. Objects have no prototype, so a key may have any name.
 *
 * @param {string} text
 * @returns {any}
 */
export function readJSON(text) {
    let place = 0;
    const next = () => {
        TOKEN.lastIndex = place;
        const match = TOKEN.exec(text);
        if (match === null) throw new SyntaxError("This isn't JSON.");
        place = TOKEN.lastIndex;
        return match;
    };
    const value = ([, mark, string, word, number]) => {
        if (number !== undefined && NUMBER.test(number)) return exactNumber(number);
        if (mark === undefined) return JSON.parse(string ?? word ?? number);
        if (mark !== "[" && mark !== "{") throw new SyntaxError("This isn't JSON.");
        return mark === "[" ? list() : members();
    };
    /** What is between a mark and its end, separated by commas. */
    const separated = (end, take) => {
        let match = next();
        if (match[1] === end) return;
        for (;;) {
            take(match);
            const [, mark] = next();
            if (mark === end) return;
            if (mark !== ",") throw new SyntaxError("This isn't JSON.");
            match = next();
        }
    };
    const list = () => {
        const values = [];
        separated("]", (match) => values.push(value(match)));
        return values;
    };
    const members = () => {
        const values = Object.create(null);
        separated("}", (match) => {
            if (match[2] === undefined || next()[1] !== ":") throw new SyntaxError("This isn't JSON.");
            values[JSON.parse(match[2])] = value(next());
        });
        return values;
    };
    const result = value(next());
    if (text.slice(place).trim() !== "") throw new SyntaxError("This isn't JSON.");
    return result;
}

/**
 * Writes JSON.
 *
 * @param {any} value
 * @param {string | null} [indentation] The indentation of the first line, or null for one line.
 * @returns {string}
 */
export function writeJSON(value, indentation = null) {
    if (value instanceof ExactNumber) return value.text;
    if (value === null || typeof value !== "object") return JSON.stringify(value);
    const inner = indentation === null ? null : indentation + "  ";
    const space = inner === null ? "" : " ";
    const members = Array.isArray(value)
        ? value.map((element) => writeJSON(element, inner))
        : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${space}${writeJSON(member, inner)}`);
    const [open, close] = Array.isArray(value) ? "[]" : "{}";
    if (inner === null || members.length === 0) return open + members.join(",") + close;
    return `${open}\n${inner}${members.join(`,\n${inner}`)}\n${indentation}${close}`;
}
