// SPDX-License-Identifier: Apache-2.0

// Reads CSV as the API writes it: the first line names key paths, and an empty cell is nil. An empty cell of what the
// API gives to an object, such as its reference, is as if it weren't there.

import {exactNumber, readJSON} from "../json.js";
import {model} from "../model.js";
import {NUMBERS} from "../properties.js";

const GIVEN = new Set(["_id", "_entity", "_version"]);

/**
 * The records of a text, each with the number of the line in which it begins.
 *
 * @param {string} text
 * @returns {Array<{line: number, cells: Array<{text: string, isQuoted: boolean}>}>}
 */
export function records(text) {
    const found = [];
    let record = [];
    let cell = {text: "", isQuoted: false};
    let isOpen = false;
    let line = 1;
    let begin = 1;
    const endCell = () => {
        record.push(cell);
        cell = {text: "", isQuoted: false};
    };
    const endRecord = () => {
        endCell();
        if (record.length > 1 || record[0].text !== "") found.push({line: begin, cells: record});
        record = [];
        begin = line + 1;
    };
    for (let place = 0; place < text.length; place += 1) {
        const mark = text[place];
        if (isOpen) {
            if (mark === "\n") line += 1;
            if (mark !== '"') cell.text += mark;
            else if (text[place + 1] !== '"') isOpen = false;
            else {
                cell.text += mark;
                place += 1;
            }
        } else if (mark === '"') {
            if (cell.text !== "" || cell.isQuoted) throw strayQuote(line);
            isOpen = true;
            cell.isQuoted = true;
        } else if (mark === ",") {
            endCell();
        } else if (mark === "\n" || mark === "\r") {
            if (mark === "\r" && text[place + 1] === "\n") place += 1;
            endRecord();
            line += 1;
        } else {
            if (cell.isQuoted) throw strayQuote(line);
            cell.text += mark;
        }
    }
    if (isOpen) throw new Error("The last quotation mark isn't closed.");
    if (cell.text !== "" || cell.isQuoted || record.length > 0) endRecord();
    return found;
}

function strayQuote(line) {
    return new Error(`Line ${line}: a cell with quotation marks is written so: "a ""quoted"" word".`);
}

/**
 * The objects of a table, and the lines in which they are.
 *
 * @param {string} text
 * @param {import("../model.js").Entity} entity
 * @returns {{objects: Array<Record<string, any>>, lines: number[]}}
 */
export function objectsOf(text, entity) {
    const [head, ...table] = records(text.replace(/^\ufeff/, ""));
    if (head === undefined) throw new Error("The file is empty.");
    const names = head.cells.map((cell) => cell.text.trim());
    const objects = table.map(({line, cells}) => {
        if (cells.length !== names.length) {
            throw new Error(`Line ${line} has ${cells.length} cells, but the first line has ${names.length}.`);
        }
        return object(names, cells, entity, line);
    });
    return {objects, lines: table.map(({line}) => line)};
}

function object(names, cells, entity, line) {
    const result = {};
    names.forEach((path, place) => {
        const [name, element] = path.split(".");
        const value = valueOf(cells[place], name, element, entity, line);
        if (value === undefined) return;
        if (element === undefined) result[name] = value;
        else if (value !== null) result[name] = {...result[name], [element]: value};
    });
    return result;
}

/** The value of a cell; undefined if it isn't written: the API computes it, or it belongs to a related object. */
function valueOf({text, isQuoted}, name, element, entity, line) {
    const property = entity.property(name);
    const isIncluded = element !== undefined && property?.kind === "relationship";
    const isUnwritable = property?.isWritable === false;
    if (isIncluded || isUnwritable || (GIVEN.has(name) && text === "")) return undefined;
    if (text === "" && !isQuoted) return null;
    if (property === undefined || element !== undefined) return text;
    if (property.kind === "relationship") return property.isToMany ? readJSON(text) : text;
    if (property.type === "Bool") return truth(text, name, line);
    if (property.type === "Decimal") return text;
    if (NUMBERS.has(property.type)) {
        const isNumber = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text);
        if (!isNumber) throw new Error(`Line ${line}: ${name} needs a number, not “${text}”.`);
        return exactNumber(text);
    }
    const isJSON = property.type === "Transformable" || model.composites[property.type] !== undefined;
    return isJSON ? readJSON(text) : text;
}

function truth(text, name, line) {
    if (/^(true|yes|1)$/i.test(text)) return true;
    if (/^(false|no|0)$/i.test(text)) return false;
    throw new Error(`Line ${line}: ${name} needs true or false, not “${text}”.`);
}
