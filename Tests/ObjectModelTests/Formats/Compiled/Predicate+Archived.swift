// SPDX-License-Identifier: Apache-2.0

// Predicates as read from an archive, which has a single form for some expressions.

import Predicates

extension ObjectPredicate {
    /// Whether all values are given.
    var isComplete: Bool { !description.contains("%") }

    var asArchived: ObjectPredicate { mappingParts(\.asArchived, \.asArchived) }
}

extension ObjectExpression {
    /// Counts and sums are archived as functions, which are read as the ends of paths.
    var asArchived: ObjectExpression {
        let mapped = mappingParts(\.asArchived, \.asArchived)
        guard case .function(let function, let operands) = mapped, operands.count == 1,
            case .keyPath(let root, let keys) = operands[0]
        else { return mapped }
        switch function {
        case .count: return .keyPath(of: root, keys + [.collection(.count)])
        case .sum: return .keyPath(of: root, keys + [.collection(.sum)])
        default: return mapped
        }
    }
}
