// SPDX-License-Identifier: Apache-2.0

// Reads a file for an import: JSON is sent as it is, and CSV as an object in each line.

import {writeJSON} from "../json.js";
import {objectsOf} from "./csv.js";

/**
 * @typedef {object} FileContent
 * @property {BodyInit} raw What is sent.
 * @property {string} type Its content type.
 * @property {(row: number) => string} placeOf Where the object of a number is in the file, in words.
 */

/**
 * @param {File} file
 * @param {import("../model.js").Entity} entity
 * @returns {Promise<FileContent>}
 */
export async function readFile(file, entity) {
    const text = await textOf(file);
    switch (file.name.split(".").pop().toLowerCase()) {
    case "csv":
        return tableContent(objectsOf(text, entity));
    case "json":
        return {raw: text, type: "application/json", placeOf: (row) => `Object ${row}`};
    default:
        return {raw: text, type: "application/x-ndjson", placeOf: (row) => `Object ${row}`};
    }
}

function tableContent({objects, lines}) {
    return {
        raw: objects.map((object) => writeJSON(object)).join("\n"), type: "application/x-ndjson",
        placeOf: (row) => `Line ${lines[row - 1]}`,
    };
}

async function textOf(file) {
    let bytes;
    try {
        bytes = await file.arrayBuffer();
    } catch {
        throw new Error(`${file.name} has changed since it was chosen. Choose it again.`);
    }
    try {
        return new TextDecoder("utf-8", {fatal: true}).decode(bytes);
    } catch {
        throw new Error(`${file.name} isn't in UTF-8. Save it in this encoding, and choose it again.`);
    }
}
