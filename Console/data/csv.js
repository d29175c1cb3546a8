// SPDX-License-Identifier: Apache-2.0

// Reads CSV as the API writes it: the first line names key paths, and an empty cell is nil.

import {exactNumber, readJSON} from "../json.js";
import {model} from "../model.js";
import {NUMBERS} from "../properties.js";

/**
 * The records of a text.
 *
 * @param {string} text
 * @returns {Array<Array<{text: string, isQuoted: boolean}>>}
 */
export function records(text) {
    const found = [];
    let record = [];
    let cell = {text: "", isQuoted: false};
    let isOpen = false;
    const endCell = () => {
        record.push(cell);
        cell = {text: "", isQuoted: false};
    };
    const endRecord = () => {
        endCell();
        if (record.length > 1 || record[0].text !== "") found.push(record);
        record = [];
    };
    for (let place = 0; place < text.length; place += 1) {
        const mark = text[place];
        if (isOpen) {
            if (mark !== '"') cell.text += mark;
            else if (text[place + 1] !== '"') isOpen = false;
            else {
                cell.text += mark;
                place += 1;
            }
        } else if (mark === '"') {
            isOpen = true;
            cell.isQuoted = true;
        } else if (mark === ",") {
            endCell();
        } else if (mark === "\n" || mark === "\r") {
            if (mark === "\r" && text[place + 1] === "\n") place += 1;
            endRecord();
        } else {
            cell.text += mark;
        }
    }
    if (isOpen) throw new Error("The last quotation mark isn't closed.");
    if (cell.text !== "" || cell.isQuoted || record.length > 0) endRecord();
    return found;
}

/**
 * The objects of a table.
 *
 * @param {string} text
 * @param {import("../model.js").Entity} entity
 * @returns {Array<Record<string, any>>}
 */
export function objectsOf(text, entity) {
    const [head, ...lines] = records(text.replace(/^\ufeff/, ""));
    if (head === undefined) throw new Error("The file is empty.");
    const names = head.map((cell) => cell.text.trim());
    return lines.map((record, place) => {
        const line = place + 2;
        if (record.length !== names.length) {
            throw new Error(`Line ${line} has ${record.length} cells, but the first line has ${names.length}.`);
        }
        return object(names, record, entity, line);
    });
}

function object(names, record, entity, line) {
    const result = {};
    names.forEach((path, place) => {
        const [name, element] = path.split(".");
        const value = valueOf(record[place], name, element, entity, line);
        if (value === undefined) return;
        if (element === undefined) result[name] = value;
        else if (value !== null) result[name] = {...result[name], [element]: value};
    });
    return result;
}

/** The value of a cell; undefined if the API computes it, or another column has it. */
function valueOf({text, isQuoted}, name, element, entity, line) {
    const property = entity.property(name);
    const isIncluded = element !== undefined && property?.kind === "relationship";
    if (isIncluded || property?.isDerived) return undefined;
    if (text === "" && !isQuoted) return null;
    if (property === undefined || element !== undefined) return text;
    if (property.kind === "relationship") return property.isToMany ? readJSON(text) : text;
    if (property.type === "Bool") return /^(true|yes|1)$/i.test(text);
    if (property.type === "Decimal") return text;
    if (NUMBERS.has(property.type)) {
        const isNumber = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text);
        if (!isNumber) throw new Error(`Line ${line}: ${name} needs a number, not “${text}”.`);
        return exactNumber(text);
    }
    const isJSON = property.type === "Transformable" || model.composites[property.type] !== undefined;
    return isJSON ? readJSON(text) : text;
}
