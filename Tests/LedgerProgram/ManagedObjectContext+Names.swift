// SPDX-License-Identifier: Apache-2.0

// Objects of the ledger by name.

import ObjectGraph
import Predicates

extension ManagedObjectContext {
    func all(_ entity: String) throws -> [ManagedObject] { try fetch(FetchRequest<ManagedObject>(entity)) }

    func all(_ entity: String, _ key: String, _ name: String) throws -> [ManagedObject] {
        let predicate = ObjectPredicate.comparing(.keyPath(key), .equal, .constant(.string(name)))
        return try fetch(FetchRequest<ManagedObject>(entity, predicate: predicate))
    }

    /// The only object with a name.
    func the(_ entity: String, _ key: String, _ name: String) throws -> ManagedObject {
        let found = try all(entity, key, name)
        guard found.count == 1 else {
            throw LedgerFailure(message: "There are \(found.count) of \(entity) with the \(key) \(name)")
        }
        return found[0]
    }
}

extension ManagedObject {
    func text(_ key: String) throws -> String {
        guard case .string(let text) = try value(forKey: key) else { throw LedgerFailure(message: "No \(key)") }
        return text
    }

    func number(_ key: String) throws -> Int {
        guard case .integer(let number) = try value(forKey: key) else { throw LedgerFailure(message: "No \(key)") }
        return Int(number)
    }

    func relationship(_ name: String) throws -> RelationshipDescription {
        guard let relationship = entity.relationship(named: name) else { throw LedgerFailure(message: "No \(name)") }
        return relationship
    }
}

/// A ledger that lacks an object that every ledger has.
public struct LedgerFailure: Error {
    let message: String
}
