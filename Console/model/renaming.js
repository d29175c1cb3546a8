// SPDX-License-Identifier: Apache-2.0

// Renames entities and properties of a model document, with what refers to them by name. Values follow something that
// says what it is called in the served model.

import {compactRelationship, expandedRelationship} from "./shapes.js";

/**
 * What something is called in the served model; undefined if it is new.
 *
 * @param {string} name
 * @param {Record<string, any>} members The edited members, such as entities or attributes.
 * @param {Record<string, any>} served Those of the served model.
 * @returns {string | undefined}
 */
export function servedName(name, members, served) {
    const former = members[name]?.renamedFrom;
    if (former !== undefined && former in served && !(name in served)) return former;
    const isTaken = Object.entries(members).some(([other, value]) => other !== name && value?.renamedFrom === name
        && !(other in served));
    return name in served && !isTaken ? name : undefined;
}

/** The renamed member, which says what it is called in the served model. */
function renamed(shape, next, former, served) {
    const {renamedFrom, ...rest} = shape;
    if (former === undefined) return rest;
    if (former !== next) return {...rest, renamedFrom: former};
    const before = served[former]?.renamedFrom;
    return before === undefined ? rest : {...rest, renamedFrom: before};
}

/** Replaces a member, and keeps the order. */
function replace(members, name, next, shape) {
    const entries = Object.entries(members).map(([key, value]) => key === name ? [next, shape] : [key, value]);
    for (const key of Object.keys(members)) delete members[key];
    Object.assign(members, Object.fromEntries(entries));
}

/**
 * Renames a property of an entity, also in the uniqueness, the indexes and the inverses that name it.
 *
 * @param {Record<string, any>} version The edited version of the model.
 * @param {string} entityName
 * @param {"attributes" | "relationships"} kind
 * @param {string} name
 * @param {string} next
 * @param {{expand: (value: any) => any, compact: (value: any) => any, served: Record<string, any>}} options
 *   `served` has the members of the served entity.
 */
export function renameProperty(version, entityName, kind, name, next, {expand, compact, served}) {
    const entity = version.entities[entityName];
    const former = servedName(name, entity[kind], served);
    const long = renamed(expand(entity[kind][name]), next, former, served);
    replace(entity[kind], name, next, compact(long));
    const renameIn = (value) => renamedPart(value, name, next);
    if (entity.unique !== undefined) entity.unique = entity.unique.map(renameIn);
    for (const [key, index] of Object.entries(entity.indexes ?? {})) entity.indexes[key] = renameIn(index);
    if (kind === "relationships") renameInverse(version, entityName, name, next);
}

/** A list of names, in which one has another name. */
function renamedPart(value, name, next) {
    if (Array.isArray(value)) return value.map((one) => renamedPart(one, name, next));
    if (value === name) return next;
    return value === `-${name}` ? `-${next}` : value;
}

function renameInverse(version, entityName, name, next) {
    changeRelationships(version, (long) => {
        if (long.destination !== entityName || long.inverse !== name) return null;
        return {...long, inverse: next};
    });
}

/**
 * Renames an entity, also in what refers to it.
 *
 * @param {Record<string, any>} version
 * @param {string} name
 * @param {string} next
 * @param {Record<string, any>} served The entities of the served model.
 */
export function renameEntity(version, name, next, served) {
    const {entities} = version;
    const former = servedName(name, entities, served);
    replace(entities, name, next, renamed(entities[name], next, former, served));
    for (const entity of Object.values(entities)) {
        if (entity.parent === name) entity.parent = next;
        for (const property of Object.values(entity.fetchedProperties ?? {})) {
            if (property.fetch?.entity === name) property.fetch.entity = next;
        }
    }
    changeRelationships(version, (long) => long.destination === name ? {...long, destination: next} : null);
    for (const template of Object.values(version.fetchRequestTemplates ?? {})) {
        if (template.entity === name) template.entity = next;
    }
    changeConfigurations(version, (names) => names.map((one) => one === name ? next : one));
}

/** Removes an entity, also from the configurations. */
export function removeEntity(version, name) {
    delete version.entities[name];
    changeConfigurations(version, (names) => names.filter((one) => one !== name));
}

/** @param {(long: Record<string, any>) => Record<string, any> | null} change Null leaves a relationship as it is. */
function changeRelationships(version, change) {
    for (const {relationships = {}} of Object.values(version.entities)) {
        for (const [name, value] of Object.entries(relationships)) {
            const changed = change(expandedRelationship(value));
            if (changed !== null) relationships[name] = compactRelationship(changed);
        }
    }
}

function changeConfigurations(version, change) {
    for (const [name, value] of Object.entries(version.configurations ?? {})) {
        if (Array.isArray(value)) version.configurations[name] = change(value);
        else if (Array.isArray(value.entities)) value.entities = change(value.entities);
    }
}
