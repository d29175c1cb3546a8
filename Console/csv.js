// SPDX-License-Identifier: Apache-2.0

// CSV as the API writes it, read into objects: an empty cell is nil, and a column is named by a key path.

import {ExactNumber, readJSON} from "./json.js";
import {model, NUMBERS} from "./model.js";

/** The records of a text, each a list of cells `{text, isQuoted}`. */
export function records(text) {
    const found = [];
    let record = [], cell = "", isQuoted = false, wasQuoted = false;
    const endCell = () => { record.push({text: cell, isQuoted: wasQuoted}); cell = ""; wasQuoted = false; };
    for (let place = 0; place < text.length; place += 1) {
        const mark = text[place];
        if (isQuoted) {
            if (mark !== '"') cell += mark;
            else if (text[place + 1] === '"') { cell += '"'; place += 1; } else isQuoted = false;
        } else if (mark === '"') { isQuoted = true; wasQuoted = true; }
        else if (mark === ",") endCell();
        else if (mark === "\n" || mark === "\r") {
            if (mark === "\r" && text[place + 1] === "\n") place += 1;
            endCell();
            found.push(record);
            record = [];
        } else cell += mark;
    }
    if (isQuoted) throw new Error("The last quotation mark isn't closed.");
    if (cell !== "" || wasQuoted || record.length > 0) { endCell(); found.push(record); }
    return found.filter((one) => one.length > 1 || one[0].text !== "");
}

/** The objects of a table whose first record names the columns. */
export function objects(text, entity) {
    const [head, ...rest] = records(text.replace(/^\ufeff/, ""));
    if (head === undefined) throw new Error("The file is empty.");
    const names = head.map((cell) => cell.text.trim());
    return rest.map((record, line) => {
        if (record.length !== names.length) throw new Error(`Row ${line + 2} has ${record.length} cells, and the head has ${names.length}.`);
        const object = {};
        names.forEach((name, place) => {
            const value = read(record[place], name, entity, line + 2);
            if (value === undefined) return;
            const [first, second] = name.split(".");
            if (second === undefined) object[first] = value;
            else if (value !== null) object[first] = {...(typeof object[first] === "object" ? object[first] : {}), [second]: value};
        });
        return object;
    });
}

function read({text, isQuoted}, name, entity, line) {
    const [first, second] = name.split(".");
    const property = entity.property(first);
    // A column of an included object says what the reference has said.
    if (second !== undefined && property?.kind === "relationship") return undefined;
    if (property?.derived !== undefined) return undefined;
    if (text === "" && !isQuoted) return null;
    if (property === undefined || second !== undefined) return text;
    if (property.kind === "relationship") return property.isToMany ? readJSON(text) : text;
    if (property.type === "Bool" || property.type === "Boolean") return /^(true|yes|1)$/i.test(text);
    if (property.type === "Decimal") return text;
    if (NUMBERS.has(property.type)) {
        if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) throw new Error(`Row ${line}: ${name} needs a number, not “${text}”.`);
        return new ExactNumber(text);
    }
    return property.type === "Transformable" || model.composites[property.type] ? readJSON(text) : text;
}
