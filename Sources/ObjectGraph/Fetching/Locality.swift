// SPDX-License-Identifier: Apache-2.0

// Determines whether conditions and orders can be evaluated on an object alone.

package import Predicates

extension ObjectPredicate {
    /// Whether it depends only on an object's own values.
    package func isLocal(to entity: EntityDescription, depth: Int = 0) -> Bool {
        guard depth < Evaluator.depthLimit else { return false }
        var isLocal = true
        forEachPart {
            isLocal = isLocal && $0.isLocal(to: entity, depth: depth + 1)
        } _: {
            isLocal = isLocal && $0.isLocal(to: entity, depth: depth + 1)
        }
        return isLocal
    }
}

extension ObjectExpression {
    /// Whether it depends only on an object's own values.
    package func isLocal(to entity: EntityDescription, depth: Int = 0) -> Bool {
        guard depth < Evaluator.depthLimit else { return false }
        switch self {
        case .subquery: return false
        case .keyPath(of: .evaluatedObject, let keys):
            guard case .name(let name)? = keys.first else { return false }
            switch entity.property(named: name) {
            case .attribute: return true
            case .relationship(let relationship): return !relationship.isToMany && keys.count == 1
            case .fetched, nil: return false
            }
        case .keyPath: return false
        default: break
        }
        var isLocal = true
        forEachPart {
            isLocal = isLocal && $0.isLocal(to: entity, depth: depth + 1)
        } _: {
            isLocal = isLocal && $0.isLocal(to: entity, depth: depth + 1)
        }
        return isLocal
    }
}
