// SPDX-License-Identifier: Apache-2.0

// XML in lines.

/**
 * The lines of an element. Attributes that are undefined, null or false are left out, and true is written as YES.
 *
 * @param {string} name
 * @param {Record<string, any>} attributes
 * @param {string[][]} [children]
 * @returns {string[]}
 */
export function element(name, attributes, children = []) {
    const isWritten = ([, value]) => value !== undefined && value !== null && value !== false;
    const text = Object.entries(attributes).filter(isWritten)
        .map(([key, value]) => ` ${key}="${escaped(value === true ? "YES" : value)}"`).join("");
    if (children.length === 0) return [`<${name}${text}/>`];
    return [`<${name}${text}>`, ...children.flat().map((line) => `    ${line}`), `</${name}>`];
}

/** @param {string[]} root The lines of the root element. @returns {string} */
export function xmlDocument(root) {
    return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${root.join("\n")}\n`;
}

function escaped(value) {
    return String(value).replace(/[&<>"\n\t]/g, (mark) => `&#${mark.codePointAt(0)};`);
}
