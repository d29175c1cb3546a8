// SPDX-License-Identifier: Apache-2.0

// The differences between two versions of a model, as documents. What says its former name is renamed.

import {h} from "../dom.js";
import {writeJSON} from "../json.js";
import {table} from "../widgets.js";
import {expandedAttribute, expandedMembers, expandedRelationship} from "./shapes.js";

/**
 * @typedef {object} Difference
 * @property {"added" | "removed" | "changed" | "renamed"} kind
 * @property {string[]} place Such as `["Tag", "name", "maxLength"]`.
 * @property {any} old
 * @property {any} next
 */

const KINDS = {added: "good", removed: "bad", changed: "warn", renamed: "warn"};

/** @returns {Difference[]} */
export function compareModels(old, next) {
    const entities = compareMembers(expanded(old?.entities), expanded(next?.entities), [], compareEntities);
    const others = ["composites", "configurations", "fetchRequestTemplates"]
        .flatMap((key) => compare(old?.[key] ?? {}, next?.[key] ?? {}, [key]));
    return [...entities, ...others];
}

/** Entities with properties in the long form, so that another way to write the same is no difference. */
function expanded(entities) {
    return expandedMembers(entities, (entity) => ({
        ...entity, attributes: expandedMembers(entity.attributes, expandedAttribute),
        relationships: expandedMembers(entity.relationships, expandedRelationship),
    }));
}

function compareEntities(old, next, place) {
    const {attributes: oldAttributes, relationships: oldRelationships, ...oldRest} = old;
    const {attributes, relationships, ...rest} = next;
    return [
        ...compare(oldRest, rest, place), ...compareMembers(oldAttributes, attributes, place, compare),
        ...compareMembers(oldRelationships, relationships, place, compare),
    ];
}

/** Compares what has names. A member that says its former name is compared with that one. */
function compareMembers(old, next, place, compareOne) {
    const found = [];
    const compared = new Set();
    for (const [name, value] of Object.entries(next)) {
        const isRenamed = !(name in old) && value.renamedFrom in old && !(value.renamedFrom in next);
        const former = isRenamed ? value.renamedFrom : name;
        compared.add(former);
        if (!(former in old)) {
            found.push({kind: "added", place: [...place, name], old: undefined, next: value});
            continue;
        }
        if (isRenamed) found.push({kind: "renamed", place: [...place, former], old: former, next: name});
        const same = isRenamed ? {renamedFrom: old[former].renamedFrom} : {};
        found.push(...compareOne(old[former], {...value, ...same}, [...place, name]));
    }
    const removed = Object.keys(old).filter((name) => !compared.has(name));
    found.push(...removed.map((name) => ({kind: "removed", place: [...place, name], old: old[name], next: undefined})));
    return found;
}

/** Compares values, and objects member by member. */
function compare(old, next, place) {
    if (isObject(old) && isObject(next)) {
        const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])];
        return keys.flatMap((key) => compare(old[key], next[key], [...place, key]));
    }
    if (JSON.stringify(old) === JSON.stringify(next)) return [];
    return [{kind: old === undefined ? "added" : next === undefined ? "removed" : "changed", place, old, next}];
}

function isObject(value) {
    return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** A difference in a few words, such as `likes → applause`. @param {Difference} difference */
export function differenceText({kind, place, old, next}) {
    const name = place.slice(1).join(" › ");
    if (kind === "renamed") return `${old} is called ${next}`;
    if (kind === "changed") return `${name}: ${text(old)} → ${text(next)}`;
    return `${name} is ${kind}`;
}

/** @returns {import("../dom.js").Child} A table of the differences. */
export function differences(old, next) {
    const found = compareModels(old, next);
    if (found.length === 0) return h("p", {class: "quiet"}, "There is no difference.");
    return table(["", "What", "Before", "After"], found.map(row), "Differences");
}

function row({kind, place, old, next}) {
    return [
        h("span", {class: `badge ${KINDS[kind]}`}, kind), place.join(" › "),
        old === undefined ? "" : h("span", {class: "old"}, text(old)),
        next === undefined ? "" : h("span", {class: "new"}, text(next)),
    ];
}

function text(value) {
    if (value === undefined) return "nothing";
    if (typeof value === "string") return value;
    if (isObject(value) && typeof value.type === "string") return value.type + (value.optional ? "?" : "");
    if (isObject(value) && typeof value.destination === "string") return relationshipText(value);
    return writeJSON(value);
}

function relationshipText({destination, isToMany, isOptional}) {
    if (isToMany) return `[${destination}]`;
    return destination + (isOptional ? "?" : "");
}
