// SPDX-License-Identifier: Apache-2.0

// What the lines of a diagram stand for: relationships with their inverses, and parents.

/**
 * @typedef {object} Relation
 * @property {number} from The place of an entity.
 * @property {number} to
 * @property {import("../model.js").Relationship} relationship
 * @property {import("../model.js").Relationship} [inverse]
 */

/**
 * A relationship and its inverse are one relation.
 *
 * @param {import("../model.js").Entity[]} entities
 * @returns {Relation[]}
 */
export function relationsOf(entities) {
    const places = placesOf(entities);
    const all = entities.flatMap((entity, from) => entity.ownRelationships
        .filter(({destination}) => places.has(destination))
        .map((relationship) => ({from, to: places.get(relationship.destination), relationship})));
    return all.map((relation) => withInverse(relation, all)).filter((relation) => relation !== null);
}

/** The relation with its inverse; null if it is the inverse of one before it. */
function withInverse(relation, all) {
    const {from, to, relationship} = relation;
    const isInverse = (other) => other !== relation && other.from === to && other.to === from
        && other.relationship.name === relationship.inverse;
    const inverse = all.find(isInverse);
    if (inverse !== undefined && all.indexOf(inverse) < all.indexOf(relation)) return null;
    return {...relation, inverse: inverse?.relationship};
}

/** @returns {Array<{from: number, to: number}>} From each entity to its parent. */
export function parentsOf(entities) {
    const places = placesOf(entities);
    return entities.filter((entity) => entity.parent !== null)
        .map((entity) => ({from: places.get(entity.name), to: places.get(entity.parent.name)}));
}

function placesOf(entities) {
    return new Map(entities.map((entity, place) => [entity.name, place]));
}

/** The delete rules that aren't the usual one. @param {Relation} relation */
export function rulesText({relationship, inverse}) {
    const rules = [relationship.deleteRule, inverse?.deleteRule];
    return rules.filter((rule) => rule !== undefined && rule !== "nullify").join(", ");
}
