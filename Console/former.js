// SPDX-License-Identifier: Apache-2.0

// Former values of objects, as this window has seen them: the server's history has the names of what was changed, but
// not the values.

import {readJSON, writeJSON} from "./json.js";
import {windowMemory} from "./memory.js";
import {model} from "./model.js";
import {areEqual, plainValue} from "./saving.js";

const OBJECTS = 60;
const READINGS = 12;
const LONGEST = 4000;
const KEY = "former";

/** @type {Map<string, Array<{time: string, version: number, values: Record<string, any>}>>} */
const readings = restored();

/** Remembers the values of an object that was read. */
export function remember(object) {
    const entity = model.find(object._entity);
    const isKept = (property) => property.isWritable && property.type !== "Binary" && property.name in object;
    const names = entity.properties.filter(isKept).map(({name}) => name);
    const values = Object.fromEntries(names.map((name) => [name, plainValue(object[name])]));
    const list = readings.get(object._id) ?? [];
    const last = list.at(-1);
    if (last !== undefined && names.every((name) => areEqual(last.values[name], values[name]))) {
        last.time = new Date().toISOString();
    } else if (writeJSON(values).length < LONGEST) {
        list.push({time: new Date().toISOString(), version: Number(object._version), values});
    }
    keep(object._id, list);
}

/** Remembers a value that is about to be changed. @param {Record<string, any>} object @param {string} name */
export function rememberValue(object, name) {
    const values = {[name]: plainValue(object[name])};
    if (writeJSON(values).length >= LONGEST) return;
    keep(object._id, [
        ...readings.get(object._id) ?? [],
        {time: new Date().toISOString(), version: Number(object._version), values},
    ]);
}

function keep(reference, list) {
    readings.delete(reference);
    readings.set(reference, list.slice(-READINGS));
    if (readings.size > OBJECTS) readings.delete(readings.keys().next().value);
    windowMemory.set(KEY, writeJSON([...readings]));
}

/**
 * The value that a property had before a time, if this window has seen it.
 *
 * @param {string} reference
 * @param {string} name
 * @param {string} time
 * @returns {{value: any} | null}
 */
export function formerValue(reference, name, time) {
    const reading = (readings.get(reference) ?? []).findLast((one) => one.time < time && name in one.values);
    return reading === undefined ? null : {value: reading.values[name]};
}

/** Forgets everything, as when another person signs in. */
export function forget() {
    readings.clear();
    windowMemory.set(KEY, null);
}

function restored() {
    try {
        return new Map(readJSON(windowMemory.get(KEY) ?? "[]"));
    } catch {
        return new Map();
    }
}
