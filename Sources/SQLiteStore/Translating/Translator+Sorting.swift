// SPDX-License-Identifier: Apache-2.0

// Sorting as in memory: nil first when ascending, for all kinds.

import ObjectGraph
import Predicates
import SQLiteDriver

extension Translator {
    /// The terms of ORDER BY.
    mutating func order(by descriptors: [ObjectSortDescriptor]) throws(Untranslatable) -> [SQL] {
        var terms: [SQL] = []
        for descriptor in descriptors {
            guard let key = try sortKey(try node(descriptor.keyPath), descriptor.options) else { continue }
            terms.append(descriptor.ascending ? key : "\(key) DESC")
        }
        return terms
    }

    /// Nil for a constant, which doesn't affect the order.
    private func sortKey(_ node: Node, _ options: Comparison.Options) throws(Untranslatable) -> SQL? {
        switch node {
        case .object(let object): return object.key
        case .term(let term):
            if term.constant != nil { return nil }
            switch term.kind {
            case .null: return nil
            case .file, .opaque: throw Untranslatable("sorts by values that SQL can't read")
            case .decimal, .anyNumber: return "outcrop_sort_key(\(term.sql))"
            case .text, .uri:
                let folded = folded(term, options)
                return options.contains(.localeSensitive) ? "\(folded.sql) COLLATE outcrop_locale" : folded.sql
            default: return term.sql
            }
        case .many: throw Untranslatable("sorts by many values")
        case .composite, .list, .expressions: throw Untranslatable("sorts by lists or dictionaries")
        }
    }
}
