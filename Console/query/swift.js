// SPDX-License-Identifier: Apache-2.0

// A fetch as Swift, as an app with Core Data or a program with the engine writes it.

/** The lines that fetch what a request fetches. */
export function swiftFetch(entity, asked) {
    const text = (value) => JSON.stringify(value).replaceAll("$", "\\u{24}");
    const isGrouped = asked.result === "dictionary";
    const lines = [`let request = NSFetchRequest<${isGrouped ? "NSDictionary" : entity.shape.class ?? entity.name}>(entityName: ${text(entity.name)})`];
    if (asked.where) lines.push(`request.predicate = NSPredicate(format: ${text(asked.where)})`);
    if (asked.sort) {
        const keys = asked.sort.split(",").map((key) => `NSSortDescriptor(key: ${text(key.replace(/^-/, ""))}, ascending: ${!key.startsWith("-")})`);
        lines.push(`request.sortDescriptors = [${keys.join(", ")}]`);
    }
    if (asked.limit) lines.push(`request.fetchLimit = ${Number(asked.limit) || 0}`);
    if (asked.include) lines.push(`request.relationshipKeyPathsForPrefetching = [${asked.include.replace(/\([^()]*\)/g, "").split(",").map((one) => text(one.trim())).join(", ")}]`);
    if (isGrouped) {
        lines.push("request.resultType = .dictionaryResultType");
        const sums = (asked.aggregate ?? "").split(",").map((one) => /^\s*(?:(\w+):)?(\w+)\(([^)]*)\)/.exec(one)).filter(Boolean);
        sums.forEach(([, name, verb, path], index) => {
            const key = path === "_id" ? "NSExpression.expressionForEvaluatedObject()" : `NSExpression(forKeyPath: ${text(path)})`;
            lines.push(`let sum${index} = NSExpressionDescription()`, `sum${index}.name = ${text(name ?? verb)}`, `sum${index}.expression = NSExpression(forFunction: ${text(verb + ":")}, arguments: [${key}])`, `sum${index}.expressionResultType = ${verb === "count" ? ".integer64AttributeType" : ".doubleAttributeType"}`);
        });
        const groups = (asked.group ?? "").split(",").filter(Boolean).map(text);
        if (groups.length > 0) lines.push(`request.propertiesToGroupBy = [${groups.join(", ")}]`);
        lines.push(`request.propertiesToFetch = [${[...groups, ...sums.map((_, index) => `sum${index}`)].join(", ")}]`);
        if (asked.having) lines.push(`request.havingPredicate = NSPredicate(format: ${text(asked.having)})`);
    }
    lines.push("let result = try context.fetch(request)");
    return lines.join("\n");
}
