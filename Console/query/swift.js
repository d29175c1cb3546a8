// SPDX-License-Identifier: Apache-2.0

// A fetch as Swift, as an app with Core Data or a program with the engine writes it.

import {allOf, equality} from "../predicates.js";

/**
 * The lines that fetch what a request fetches.
 *
 * @param {import("../model.js").Entity} entity
 * @param {Record<string, any>} asked The parameters of the request.
 * @param {Record<string, string>} [equalities] Those of them that test a property.
 * @returns {string}
 */
export function swiftFetch(entity, asked, equalities = {}) {
    const isGrouped = asked.result === "dictionary";
    const type = isGrouped ? "NSDictionary" : entity.shape.class ?? entity.name;
    return [
        `let request = NSFetchRequest<${type}>(entityName: ${literal(entity.name)})`,
        ...predicate(entity, asked, equalities), ...common(asked),
        ...(isGrouped ? grouping(asked) : selection(entity, asked)),
        "let result = try context.fetch(request)",
    ].join("\n");
}

function predicate(entity, {where, search}, equalities) {
    const conditions = Object.entries(equalities).map(([path, text]) => equality(entity, path, text));
    const format = allOf([...conditions.map((one) => one.where), where]);
    const objects = conditions.flatMap(({args}) => args);
    const names = objects.map((_, place) => `object${place}`);
    return [
        ...(search ? [`// Core Data has no search for words: ${JSON.stringify(search)}.`] : []),
        ...names.map((name, place) => `// ${name} is ${JSON.stringify(objects[place])}.`),
        ...(format ? [`request.predicate = NSPredicate(format: ${[literal(format), ...names].join(", ")})`] : []),
    ];
}

/** What is fetched of objects: the selected attributes, and related objects. */
function selection(entity, {select = "", include = ""}) {
    const property = (path) => entity.property(path.split(".")[0]);
    const attributes = parts(select).map(property).filter((one) => one?.kind === "attribute");
    const own = [...new Set(attributes.map(({name}) => literal(name)))];
    const selected = parts(select).filter((path) => property(path)?.kind === "relationship")
        .map((path) => path.replace(/\.[^.]*$/, ""));
    const related = [...new Set([...parts(include.replace(/\([^()]*\)/g, "")), ...selected])].map(literal);
    return [
        ...(own.length > 0 ? [`request.propertiesToFetch = [${own.join(", ")}]`] : []),
        ...(related.length > 0 ? [`request.relationshipKeyPathsForPrefetching = [${related.join(", ")}]`] : []),
    ];
}

function common({sort, limit}) {
    const lines = [];
    if (sort) lines.push(`request.sortDescriptors = [${parts(sort).map(sortDescriptor).join(", ")}]`);
    if (limit) lines.push(`request.fetchLimit = ${Number(limit) || 0}`);
    return lines;
}

function sortDescriptor(key) {
    return `NSSortDescriptor(key: ${literal(key.replace(/^-/, ""))}, ascending: ${!key.startsWith("-")})`;
}

function grouping({group = "", aggregate = "", having}) {
    const sums = aggregate.split(",").map((one) => /^\s*(?:(\w+):)?(\w+)\(([^)]*)\)/.exec(one)).filter(Boolean);
    const groups = parts(group).map(literal);
    const fetched = [...groups, ...sums.map((_, place) => `sum${place}`)];
    return [
        "request.resultType = .dictionaryResultType", ...sums.flatMap(sumLines),
        ...(groups.length > 0 ? [`request.propertiesToGroupBy = [${groups.join(", ")}]`] : []),
        `request.propertiesToFetch = [${fetched.join(", ")}]`,
        ...(having ? [`request.havingPredicate = NSPredicate(format: ${literal(having)})`] : []),
    ];
}

function sumLines([, name, verb, path], place) {
    const key = path === "_id" ? "NSExpression.expressionForEvaluatedObject()"
        : `NSExpression(forKeyPath: ${literal(path)})`;
    const type = verb === "count" ? ".integer64AttributeType" : ".doubleAttributeType";
    return [
        `let sum${place} = NSExpressionDescription()`, `sum${place}.name = ${literal(name ?? verb)}`,
        `sum${place}.expression = NSExpression(forFunction: ${literal(`${verb}:`)}, arguments: [${key}])`,
        `sum${place}.expressionResultType = ${type}`,
    ];
}

function parts(text) {
    return text.split(",").map((one) => one.trim()).filter((one) => one !== "");
}

/** A text as a Swift literal. */
function literal(text) {
    return JSON.stringify(text).replaceAll("$", "\\u{24}");
}
