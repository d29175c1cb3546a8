// SPDX-License-Identifier: Apache-2.0

// The cardinality of a relationship, in words and as the shape at the end of its line.

import ObjectModel

extension Relationship {
    /// `1`, `0..1`, `*`, `1..*` or `2..20`; `0, 2..20` if the relationship may be empty, with a minimum of two
    /// otherwise.
    var cardinality: String {
        guard isToMany else { return isOptional ? "0..1" : "1" }
        let least = max(minimumCount ?? 0, isOptional ? 0 : 1)
        let most = maximumCount.map(String.init) ?? "*"
        if isOptional, least <= 1 { return maximumCount == nil ? "*" : "0..\(most)" }
        let range = maximumCount == least ? most : "\(least)..\(most)"
        return isOptional ? "0, \(range)" : range
    }

    /// The shape at the destination.
    var shape: DiagramLayout.Line.Shape {
        switch (isToMany, isOptional) {
        case (true, true): .many
        case (true, false): .oneOrMore
        case (false, true): .zeroOrOne
        case (false, false): .one
        }
    }
}

extension DeleteRule {
    var mark: DiagramLayout.Mark {
        switch self {
        case .noAction: .noAction
        case .nullify: .nullify
        case .cascade: .cascade
        case .deny: .deny
        }
    }
}
