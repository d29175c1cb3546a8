// SPDX-License-Identifier: Apache-2.0

// Texts and elements: JSON with colours, curl lines, and elements without a line of markup in a string.
"use strict";

/** Makes an element: `make("a", {href: "#"}, "text", child)`. What is null is left out. */
function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return element;
}

/** JSON text in lines and colours. References become links to their objects. Numbers stay as they were sent. */
function colouredJSON(text) {
    const fragment = document.createDocumentFragment();
    const token = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)|([{}\[\],])|\s+/g;
    let depth = 0, match;
    const newLine = () => fragment.append("\n" + "  ".repeat(depth));
    while ((match = token.exec(text)) !== null) {
        const [, string, colon, number, word, mark] = match;
        if (string !== undefined && colon !== undefined) fragment.append(make("span", {class: "k"}, string), ": ");
        else if (string !== undefined) fragment.append(stringElement(string));
        else if (number !== undefined) fragment.append(make("span", {class: "n"}, number));
        else if (word !== undefined) fragment.append(make("span", {class: "w"}, word));
        else if (mark === "{" || mark === "[") {
            const close = /^\s*[}\]]/.exec(text.slice(token.lastIndex));
            fragment.append(mark);
            if (close) { fragment.append(close[0].trim()); token.lastIndex += close[0].length; } else { depth += 1; newLine(); }
        } else if (mark === "}" || mark === "]") { depth -= 1; newLine(); fragment.append(mark); }
        else if (mark === ",") { fragment.append(mark); newLine(); }
    }
    return fragment;
}

function stringElement(string) {
    const element = make("span", {class: "s"}, string);
    const reference = /^"([^"\/\\\s]+\/[^"\/\\\s]+)"$/.exec(string);
    if (reference === null || !catalogue.isReference(reference[1])) return element;
    return make("a", {href: `#/object/${reference[1]}`, class: "s"}, string);
}

/** A word for a shell, in quotes where it needs them. */
function shellWord(text) {
    return /^[A-Za-z0-9_\/.:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The curl line of a request. A query whose values people should read is said by --data-urlencode. */
function curlLine({method, target, fields, body}) {
    const [path, query] = splitTarget(target);
    const words = ["curl"];
    const items = query === "" ? [] : query.split("&").map(decodeItem);
    const isReadable = items.some((item) => /[^A-Za-z0-9_.,=\/:-]/.test(item));
    if (method !== "GET" && !(method === "POST" && body !== null)) words.push("-X", method);
    const others = fields.filter(([name]) => !(name.toLowerCase() === "content-type" && body !== null));
    const type = fields.find(([name]) => name.toLowerCase() === "content-type")?.[1];
    for (const [name, value] of others) words.push("-H", shellWord(`${name}: ${value}`));
    if (body !== null) {
        if (type === undefined || type === "application/json") words.push("--json", shellWord(body));
        else words.push("-H", shellWord(`Content-Type: ${type}`), "--data-binary", shellWord(body));
    }
    const plainQuery = body !== null || !isReadable ? (query === "" ? "" : "?" + query) : "";
    if (plainQuery === "" && items.length > 0) {
        words.push("-G");
        for (const item of items) words.push("--data-urlencode", shellWord(item));
    }
    words.push(shellWord(location.origin + path + plainQuery));
    return words.join(" ");
}

function splitTarget(target) {
    const mark = target.indexOf("?");
    return mark < 0 ? [target, ""] : [target.slice(0, mark), target.slice(mark + 1)];
}

function decodeItem(item) {
    const decode = (text) => { try { return decodeURIComponent(text.replaceAll("+", " ")); } catch { return text; } };
    const equals = item.indexOf("=");
    return equals < 0 ? decode(item) : decode(item.slice(0, equals)) + "=" + decode(item.slice(equals + 1));
}

/** A query of parameters, without those that are empty. */
function queryText(parameters) {
    const items = Object.entries(parameters).filter(([, value]) => value !== "" && value !== null && value !== undefined);
    return items.length === 0 ? "" : "?" + items.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
}
