// SPDX-License-Identifier: Apache-2.0

// Conditions on an object as conditions on another one that leads to it.

import Predicates

extension ObjectPredicate {
    /// A condition on an object as one on the object that an expression leads to.
    func based(on root: ObjectExpression) -> ObjectPredicate {
        mappingParts({ $0.based(on: root) }, { $0.based(on: root) })
    }
}

extension ObjectExpression {
    fileprivate func based(on root: ObjectExpression) -> ObjectExpression {
        switch self {
        case .evaluatedObject: return root
        case .keyPath(of: .evaluatedObject, let keys):
            if case .keyPath(let start, let first) = root { return .keyPath(of: start, first + keys) }
            return .keyPath(of: root, keys)
        default: return mappingParts({ $0.based(on: root) }, { $0.based(on: root) })
        }
    }
}
