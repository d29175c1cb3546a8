// SPDX-License-Identifier: Apache-2.0

// The part of generated files that is the same for each model, in TypeScript.

/// Sections of TypeScript. The other files of this folder have one each.
enum Runtime {
    /// The sections that each file has, in order.
    static let sections = [
        values, errors, objects, bodies, filters, queries, predicates, parameters, connection, events, live, routes,
        collections, requests, bytes, transactions, history, drafts,
    ]

    /// The names that the sections declare at their top level.
    static let declaredNames: Set<String> = {
        let kinds: Set<Substring> = [
            "abstract", "async", "class", "const", "export", "function", "function*", "interface", "type",
        ]
        var names: Set<String> = []
        for line in (sections + [namedQueries, accounts]).joined(separator: "\n").split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let first = words.first, line.first != " ", kinds.contains(first),
                let word = words.first(where: { !kinds.contains($0) })
            else { continue }
            names.insert(String(word.prefix { $0.isLetter || $0.isNumber }))
        }
        return names
    }()
}
