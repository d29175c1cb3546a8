// SPDX-License-Identifier: Apache-2.0

// The properties of entities, made from the model's JSON, with the rules that they have.

import {writeJSON} from "./json.js";

/**
 * @typedef {object} Attribute
 * @property {"attribute"} kind
 * @property {string} name
 * @property {string} type Such as `Int64`, or the name of a composite type.
 * @property {boolean} isOptional
 * @property {boolean} isStored False for transient attributes.
 * @property {boolean} isDerived
 * @property {boolean} isWritable
 * @property {boolean} [isProtected] Whether access rules keep it from being written.
 * @property {boolean} [isSet] Whether access rules set it in new objects.
 * @property {boolean} isSearchable Whether the search index covers it.
 * @property {any} default
 * @property {any} min
 * @property {any} max
 * @property {number} [minLength]
 * @property {number} [maxLength]
 * @property {string} [pattern]
 * @property {string} [derivation]
 * @property {string[] | null} choices The only values that its pattern permits.
 * @property {boolean} isColor
 * @property {Record<string, any>} shape Its description in the model.
 *
 * @typedef {object} Relationship
 * @property {"relationship"} kind
 * @property {string} name
 * @property {string} destination The name of an entity.
 * @property {string} [inverse]
 * @property {boolean} isToMany
 * @property {boolean} isOrdered
 * @property {boolean} isOptional
 * @property {boolean} isStored
 * @property {boolean} isWritable
 * @property {boolean} [isProtected] Whether access rules keep it from being written.
 * @property {boolean} [isSet] Whether access rules set it in new objects.
 * @property {"nullify" | "cascade" | "deny" | "noAction"} deleteRule
 * @property {number} [min]
 * @property {number} [max]
 * @property {Record<string, any>} shape
 *
 * @typedef {object} FetchedProperty
 * @property {"fetched"} kind
 * @property {string} name
 * @property {string} destination
 * @property {string} [predicate]
 */

export const INTEGERS = new Set(["Int16", "Int32", "Int64"]);
export const NUMBERS = new Set([...INTEGERS, "Double", "Float", "Decimal"]);

/** @returns {Attribute} */
export function makeAttribute([name, value]) {
    const shape = typeof value === "string" ? {type: value} : value;
    const type = shape.type ?? shape.composite ?? "String";
    const bare = type.replace(/\?$/, "");
    const isTransient = shape.transient === true;
    const isDerived = shape.derived !== undefined;
    return {
        kind: "attribute", name: apiName(name), type: bare, isOptional: shape.optional ?? type.endsWith("?"),
        isStored: !isTransient, isDerived, isWritable: !isDerived, isSearchable: shape.searchIndexed === true,
        default: shape.default, min: shape.min, max: shape.max, minLength: shape.minLength, maxLength: shape.maxLength,
        pattern: shape.pattern, derivation: shape.derived, choices: choicesOf(shape.pattern),
        isColor: bare === "String" && /^#(\[|\()/.test(shape.pattern ?? ""), shape,
    };
}

/** @returns {Relationship} */
export function makeRelationship([name, value]) {
    const shape = typeof value === "string" ? fromShortForm(value) : value;
    const isToMany = shape.toMany !== undefined;
    const destination = shape.toMany ?? shape.to ?? "";
    return {
        kind: "relationship", name: apiName(name), destination: destination.replace(/\?$/, ""), inverse: shape.inverse,
        isToMany, isOrdered: shape.ordered === true,
        isOptional: shape.optional ?? (isToMany || destination.endsWith("?")),
        isStored: shape.transient !== true, isWritable: true, deleteRule: shape.deleteRule ?? "nullify", min: shape.min,
        max: shape.max, shape,
    };
}

/** @returns {FetchedProperty} */
export function makeFetchedProperty([name, {fetch = {}}]) {
    return {kind: "fetched", name: apiName(name), destination: fetch.entity, predicate: fetch.predicate};
}

/** The long form of `[Post].author`. */
function fromShortForm(text) {
    const [, open, entity, mark, inverse] = /^(\[?)([^\].?]+)\]?(\??)(?:\.(.+))?$/.exec(text) ?? [];
    return {[open === "[" ? "toMany" : "to"]: `${entity ?? text}${mark ?? ""}`, inverse};
}

/** The API puts an underscore before names that begin with one, to keep its own names apart. */
function apiName(name) {
    return name.startsWith("_") ? "_" + name : name;
}

/** The values that a pattern of alternatives permits, such as `draft|published`. */
function choicesOf(pattern) {
    const alternatives = /^\(?(?:\?:)?([\w -]+(?:\|[\w -]+)+)\)?$/.exec(pattern ?? "");
    return alternatives === null ? null : alternatives[1].split("|");
}

/**
 * The rules of a property, each in a few words.
 *
 * @param {Attribute | Relationship} property
 * @returns {string[]}
 */
export function ruleTexts(property) {
    const {min, max} = property;
    if (property.kind === "relationship") {
        return [
            property.isOrdered && "ordered", (min !== undefined || max !== undefined) && `${between(min, max)} objects`,
            property.deleteRule !== "nullify" && `on delete: ${property.deleteRule}`,
        ].filter(Boolean);
    }
    const {minLength, maxLength} = property;
    return [
        property.isDerived && `derived: ${property.derivation}`, !property.isStored && "transient",
        (min !== undefined || max !== undefined) && between(min, max),
        (minLength !== undefined || maxLength !== undefined) && `${between(minLength, maxLength)} characters`,
        property.pattern !== undefined && property.choices === null && `matches ${property.pattern}`,
        property.default !== undefined && `default ${writeJSON(property.default)}`,
        property.isSearchable && "searchable",
    ].filter(Boolean);
}

function between(min, max) {
    if (min === undefined) return `at most ${max}`;
    return max === undefined ? `at least ${min}` : `${min} to ${max}`;
}
