// SPDX-License-Identifier: Apache-2.0

// Reads CSV as the API writes it: the first line names key paths, and an empty cell is nil. An empty cell of what the
// API gives to an object, such as its reference, is as if it weren't there.

import {exactNumber, readJSON} from "../json.js";
import {model} from "../model.js";
import {makeAttribute, NUMBERS} from "../properties.js";

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
        const steps = path.split(".");
        const value = valueOf(cells[place], steps, entity, line);
        // An element that is nil is left out: a composite without any is nil.
        if (value !== undefined && (value !== null || steps.length === 1)) put(value, steps, result);
    });
    return result;
}

/** Puts a value at a path into an object. */
function put(value, [name, ...rest], object) {
    if (rest.length === 0) object[name] = value;
    else put(value, rest, object[name] ??= {});
}

/** The value of a cell; undefined if it isn't written: the API computes it, or it belongs to a related object. */
function valueOf({text, isQuoted}, [name, ...elements], entity, line) {
    const property = entity.property(name);
    const isIncluded = elements.length > 0 && property?.kind === "relationship";
    const isUnwritable = property?.isWritable === false;
    if (isIncluded || isUnwritable || (GIVEN.has(name) && text === "")) return undefined;
    if (text === "" && !isQuoted) return null;
    const fail = (need) => {
        throw new Error(`Line ${line}: ${[name, ...elements].join(".")} needs ${need}, not “${text}”.`);
    };
    if (property?.kind === "relationship") return property.isToMany ? parsed(text, fail) : text;
    return converted(text, elements.reduce(elementOf, property)?.type, fail);
}

/** An element of a composite; undefined if there is none of the name. */
function elementOf(attribute, name) {
    return Object.entries(model.composites[attribute?.type]?.attributes ?? {}).map(makeAttribute)
        .find((element) => element.name === name);
}

/** A text as a value of a type; `fail` gets what would be one. */
function converted(text, type, fail) {
    if (type === "Bool") return truth(text) ?? fail("true or false");
    if (type === "Decimal") return text;
    if (NUMBERS.has(type)) return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? exactNumber(text) : fail("a number");
    return type === "Transformable" || model.composites[type] !== undefined ? parsed(text, fail) : text;
}

function parsed(text, fail) {
    try {
        return readJSON(text);
    } catch {
        return fail("JSON");
    }
}

function truth(text) {
    if (/^(true|yes|1)$/i.test(text)) return true;
    return /^(false|no|0)$/i.test(text) ? false : null;
}
