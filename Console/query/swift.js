// SPDX-License-Identifier: Apache-2.0

// A fetch as Swift, as an app with Core Data or a program with the engine writes it.

/**
 * The lines that fetch what a request fetches.
 *
 * @param {import("../model.js").Entity} entity
 * @param {Record<string, any>} asked The parameters of the request.
 * @returns {string}
 */
export function swiftFetch(entity, asked) {
    const isGrouped = asked.result === "dictionary";
    const type = isGrouped ? "NSDictionary" : entity.shape.class ?? entity.name;
    return [
        `let request = NSFetchRequest<${type}>(entityName: ${literal(entity.name)})`,
        ...common(asked), ...(isGrouped ? grouping(asked) : []),
        "let result = try context.fetch(request)",
    ].join("\n");
}

function common({where, sort, limit, include}) {
    const lines = [];
    if (where) lines.push(`request.predicate = NSPredicate(format: ${literal(where)})`);
    if (sort) lines.push(`request.sortDescriptors = [${parts(sort).map(sortDescriptor).join(", ")}]`);
    if (limit) lines.push(`request.fetchLimit = ${Number(limit) || 0}`);
    if (include) {
        const paths = parts(include.replace(/\([^()]*\)/g, "")).map(literal).join(", ");
        lines.push(`request.relationshipKeyPathsForPrefetching = [${paths}]`);
    }
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
