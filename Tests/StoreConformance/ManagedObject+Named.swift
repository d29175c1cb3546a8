// SPDX-License-Identifier: Apache-2.0

// Objects of the museum by their names, which keeps the cases readable.

import ObjectGraph
import Predicates

extension ManagedObjectContext {
    /// Inserts a new object with a name.
    @discardableResult
    func make(_ entity: String, _ name: String, _ values: [String: Value] = [:]) throws -> ManagedObject {
        let object = try insert(entity)
        try object.setValue(.string(name), forKey: "name")
        for (key, value) in values { try object.setValue(value, forKey: key) }
        return object
    }

    func all(_ entity: String) throws -> [ManagedObject] { try fetch(FetchRequest<ManagedObject>(entity)) }

    /// The one object with a name.
    func the(_ entity: String, _ name: String) throws -> ManagedObject {
        let predicate = ObjectPredicate.comparing(.keyPath("name"), .equal, .constant(.string(name)))
        let found = try fetch(FetchRequest<ManagedObject>(entity, predicate: predicate))
        try require("The number of objects of \(entity) named \(name)", found.count, is: 1)
        return found[0]
    }
}

extension ManagedObject {
    var name: String {
        get throws {
            if case .string(let name) = try value(forKey: "name") { name } else { "" }
        }
    }

    /// The objects of a relationship of any kind.
    func related(_ name: String) throws -> [ManagedObject] {
        let relationship = try relationship(name)
        if relationship.isToMany { return try objects(of: relationship) }
        return try object(of: relationship).map { [$0] } ?? []
    }

    /// The names of a relationship's objects: in their order if the relationship is ordered, else sorted.
    func names(_ name: String) throws -> [String] {
        let names = try related(name).map { try $0.name }
        return try relationship(name).isOrdered ? names : names.sorted()
    }

    /// Replaces the objects of a relationship.
    func relate(_ name: String, _ others: ManagedObject...) throws {
        let relationship = try relationship(name)
        if relationship.isToMany {
            try setObjects(others, of: relationship)
        } else {
            try setObject(others.first, of: relationship)
        }
    }

    /// Adds an object to a to-many relationship.
    func join(_ name: String, _ other: ManagedObject) throws { try add(other, to: try relationship(name)) }

    /// Removes an object from a to-many relationship.
    func leave(_ name: String, _ other: ManagedObject) throws { try remove(other, from: try relationship(name)) }

    func relationship(_ name: String) throws -> RelationshipDescription {
        try require(entity.relationship(named: name), "\(entity.name) has no relationship \(name)")
    }
}
