// SPDX-License-Identifier: Apache-2.0

// Former values of objects, as this window has seen them: the server's history has the names of what was changed, but
// not the values.

import {readJSON, writeJSON} from "./json.js";
import {windowMemory} from "./memory.js";
import {model} from "./model.js";
import {plainValue} from "./saving.js";
import {session} from "./session.js";

const OBJECTS = 60;
const READINGS = 12;
const LONGEST = 4000;
const KEY = "former";

/** @type {Map<string, Array<{version: number, values: Record<string, any>}>>} */
const readings = restored();

/** Remembers the values of an object that was read. Those of a draft were never stored. */
export function remember(object) {
    if (session.draft !== null) return;
    const entity = model.find(object._entity);
    const isKept = (property) => property.isWritable && property.type !== "Binary" && property.name in object;
    const names = entity.properties.filter(isKept).map(({name}) => name);
    const values = Object.fromEntries(names.map((name) => [name, plainValue(object[name])]));
    keep(object, values);
}

/** Remembers a value that is about to be changed. @param {Record<string, any>} object @param {string} name */
export function rememberValue(object, name) {
    if (session.draft === null) keep(object, {[name]: plainValue(object[name])});
}

/** A reading of the same version may have other properties. */
function keep({_id, _version}, values) {
    if (writeJSON(values).length >= LONGEST) return;
    const version = Number(_version);
    const list = readings.get(_id) ?? [];
    const known = list.find((one) => one.version === version)?.values ?? {};
    readings.delete(_id);
    readings.set(_id, [
        ...list.filter((one) => one.version !== version), {version, values: {...known, ...values}},
    ].slice(-READINGS));
    if (readings.size > OBJECTS) readings.delete(readings.keys().next().value);
    windowMemory.set(KEY, writeJSON([...readings]));
}

/**
 * The value that a property had between two versions, if this window has seen it.
 *
 * @param {string} reference
 * @param {string} name
 * @param {{from: number, before: number}} versions
 * @returns {{value: any} | null}
 */
export function formerValue(reference, name, {from, before}) {
    const isWithin = ({version, values}) => version >= from && version < before && name in values;
    const reading = (readings.get(reference) ?? []).find(isWithin);
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
