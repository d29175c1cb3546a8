// SPDX-License-Identifier: Apache-2.0

// The conflicts of a draft, as its changes and a refused save name them, and what settles them.

import {open, send} from "./api.js";
import {h} from "./dom.js";
import {reference, shown} from "./format.js";
import {model} from "./model.js";
import {plainValue} from "./saving.js";

/**
 * A conflict about an object.
 *
 * - `values`: both sides have changed properties of it.
 * - `deleted`: others have deleted what is changed here.
 * - `changed`: others have changed what is deleted here.
 *
 * @typedef {object} Conflict
 * @property {"values" | "deleted" | "changed"} kind
 * @property {string} object
 * @property {number} [version] The stored version that the choice is based on; undefined if there is none any more.
 * @property {Array<{name: string, base: any, stored: any, own: any}>} properties
 * @property {import("./conflict.js").Choice[]} choices
 */

/** The conflicts that the changes of a draft are marked with. @returns {Conflict[]} */
export function markedConflicts(changes) {
    return changes.updated
        .filter((change) => change.conflict === "deleted" || isMarked(change))
        .map(({_id, _version, conflict, properties = {}}) => conflict === "deleted"
            ? makeConflict("deleted", _id) : makeConflict("values", _id, marked(properties), _version));
}

function isMarked({properties}) {
    return Object.values(properties ?? {}).some((value) => value.conflict);
}

function marked(properties) {
    return Object.entries(properties)
        .filter(([, value]) => value.conflict)
        .map(([name, {base, stored, new: own}]) => ({name, base, stored, own}));
}

/** The conflicts that a refused save names. @param {import("./api.js").APIError} error @returns {Conflict[]} */
export function reportedConflicts({errors}) {
    return errors.filter((one) => one.code === "conflict").map(({object, storedVersion, properties = {}}) => {
        const all = Object.entries(properties)
            .map(([name, {base, stored, requested}]) => ({name, base, stored, own: requested}));
        if (storedVersion === null) return makeConflict("deleted", object, all);
        const isDeletedHere = all.length > 0 && all.every((one) => one.own === undefined);
        return makeConflict(isDeletedHere ? "changed" : "values", object, all, storedVersion);
    });
}

/** @returns {Conflict} */
function makeConflict(kind, object, properties = [], version = undefined) {
    const entity = model.entityOf(object);
    const choices = kind === "values" ? properties.map((one) => valueChoice(one, entity)) : [wholeChoice(kind)];
    return {kind, object, version, properties, choices};
}

function valueChoice({name, base, stored, own}, entity) {
    const text = (value) => shown(value, entity?.property(name));
    return {name, before: text(base), stored: text(stored), own: text(own), isOwn: true};
}

function wholeChoice(kind) {
    const texts = kind === "deleted"
        ? {stored: "leave it deleted", own: "create it again, as it is in the draft"}
        : {stored: "keep it, with their changes", own: "delete it nevertheless"};
    return {name: "the object", before: "", ...texts, isOwn: kind === "changed"};
}

/** What a choice is about: another stored version is another conflict. @param {Conflict} conflict */
export function keyOf({kind, object, version = ""}) {
    return `${kind} ${object} ${version}`;
}

/** A conflict as a group of choices. @param {Conflict} conflict */
export function groupOf({object, kind, choices}) {
    const event = {values: "", deleted: " was deleted by others", changed: " is deleted in the draft"}[kind];
    return {heading: h("h3", {}, reference(object), event), choices};
}

/**
 * Changes the draft to what was chosen.
 *
 * @param {string} path The draft's path.
 * @param {Conflict} conflict
 * @returns {Promise<string | null>} The merge policy that the save needs, if any.
 * @throws {import("./api.js").APIError} With the code `conflict` if others have saved again since it was shown.
 */
export async function settle(path, conflict) {
    const {kind, object, choices} = conflict;
    const isOwn = choices[0]?.isOwn;
    if (kind === "changed") return isOwn ? "object" : "store";
    if (kind === "values") await settleValues(path, conflict);
    else if (isOwn) return "object";
    else await send(`${path}/${object}`, {method: "DELETE"});
    return null;
}

/**
 * The values are refused if the stored version isn't the one that the person has seen. Without values, the draft goes
 * on from that version with what it has.
 */
async function settleValues(path, {object, version, properties, choices}) {
    const kept = properties.map(({stored, own}, place) => choices[place].isOwn ? own : stored);
    const isBytes = (value) => value?.bytes !== undefined;
    const values = properties
        .map(({name}, place) => [name, plainValue(kept[place])])
        .filter((_, place) => !isBytes(kept[place]));
    const body = Object.fromEntries([["_version", version], ...values]);
    await send(`${path}/${object}`, {method: "PATCH", body, prefer: "return=minimal"});
    const bytes = properties.filter((_, place) => isBytes(kept[place]) && !choices[place].isOwn);
    for (const {name} of bytes) await takeBytes(path, object, name);
}

/** Takes the stored bytes of a property into the draft. */
async function takeBytes(path, object, name) {
    const stored = await open(`/api/${object}/${name}`);
    const type = stored.headers.get("Content-Type") ?? "application/octet-stream";
    await send(`${path}/${object}/${name}`, {method: "PUT", raw: await stored.blob(), type});
}
