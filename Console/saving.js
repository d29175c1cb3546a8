// SPDX-License-Identifier: Apache-2.0

// Saves values of an object, also if others have changed it meanwhile.

import {dataPath, get, query, send} from "./api.js";
import {writeJSON} from "./json.js";
import {reportChange} from "./session.js";

/** A value as the API takes it: an included object, which has its entity's name, is its reference. */
export function plainValue(value) {
    if (Array.isArray(value)) return value.map(plainValue);
    return typeof value?._entity === "string" ? value._id : value ?? null;
}

/** Whether two values are the same to the API. */
export function areEqual(one, other) {
    return writeJSON(plainValue(one)) === writeJSON(plainValue(other));
}

/**
 * Saves values of an object. What others have changed meanwhile is kept; if they have changed the same properties to
 * other values, the person chooses.
 *
 * @param {import("./model.js").Entity} entity
 * @param {Record<string, any>} object The object as the person has seen it.
 * @param {Record<string, any>} values The new values by property.
 * @returns {Promise<Record<string, any> | null>} What was saved; null if the person has decided not to save.
 * @throws {import("./api.js").APIError} If the server refuses the values.
 */
export async function saveValues(entity, object, values) {
    const body = {_version: object._version, ...values};
    try {
        await send(dataPath(object._id), {method: "PATCH", body, prefer: "return=minimal"});
    } catch (error) {
        if (error.code !== "conflict" && error.code !== "precondition") throw error;
        return resolveConflict(entity, object, values);
    }
    reportChange();
    return values;
}

async function resolveConflict(entity, object, values) {
    const names = Object.keys(values);
    const stored = await get(dataPath(object._id) + query({select: names.join(",")}));
    const conflicting = names.filter((name) =>
        !areEqual(stored[name], object[name]) && !areEqual(stored[name], values[name]));
    let remaining = values;
    if (conflicting.length > 0) {
        const {chooseValues} = await import("./conflict.js");
        const kept = await chooseValues(entity, conflicting, {before: object, stored, own: values});
        if (kept === null) return null;
        remaining = Object.fromEntries(
            Object.entries(values).filter(([name]) => !conflicting.includes(name) || kept.has(name)),
        );
    }
    if (Object.keys(remaining).length === 0) return remaining;
    return saveValues(entity, {...object, ...stored}, remaining);
}
