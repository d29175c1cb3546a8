// SPDX-License-Identifier: Apache-2.0

// Objects named by unique values.

import ObjectGraph
import Predicates

/// The values of a uniqueness constraint, as a body has them.
struct UniqueValues: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        case value(Value)
        case destination(ObjectLocation)

        /// The value in messages.
        var words: String {
            switch self {
            case .value(let value): ObjectExpression.constant(value).description.shortened
            case .destination(let location): location.name.shortened
            }
        }
    }

    /// The entity of the objects, or a superentity.
    let entity: EntityDescription
    let constraint: [PropertyDescription]
    private let parts: [PropertyDescription: Part]

    /// Nil if a value is missing.
    init?(of entity: EntityDescription, _ constraint: [PropertyDescription], in writes: [PropertyWrite]) {
        var parts: [PropertyDescription: Part] = [:]
        for write in writes where constraint.contains(write.property.property) {
            parts[write.property.property] = write.change.part
        }
        guard parts.count == constraint.count else { return nil }
        self.entity = entity
        self.constraint = constraint
        self.parts = parts
    }

    /// The values by their names for clients: `name "Ada"`.
    func words(in catalogue: Catalogue) -> String {
        guard let names = catalogue.names(of: constraint, of: entity) else { return "these unique values" }
        return zip(names, constraint).map { name, property in "\(name) \(parts[property]?.words ?? "null")" }
            .joined(separator: " and ")
    }

    /// The form of values in a body: `{"name": …}`.
    static func form(_ names: [String]) -> String {
        "{\(names.map { "\"\($0)\": …" }.joined(separator: ", "))}"
    }

    /// The key of the values, or nil if no object can have it.
    ///
    /// - Parameter objectID: Finds the ID of a destination.
    func key(_ objectID: (ObjectLocation) -> ManagedObjectID?) -> UniqueKey? {
        UniqueKey(constraint) { property in
            switch parts[property] {
            case .value(let value): .value(value)
            case .destination(let location): objectID(location).map { .destination($0) }
            case nil: nil
            }
        }
    }
}

extension ObjectWrite {
    /// The values that a new object gets for each uniqueness constraint.
    var uniqueValues: [UniqueValues] {
        guard case .insert(let resource) = action else { return [] }
        return resource.entity.uniquenessConstraints.compactMap {
            UniqueValues(of: resource.entity, $0, in: changes)
        }
    }
}

extension PropertyWrite.Change {
    /// The part of a unique key, or nil if the change leaves no value that is known before the save.
    fileprivate var part: UniqueValues.Part? {
        switch self {
        case .value(let value): .value(value)
        case .toOne(let reference?):
            if case .stored(let location) = reference.target { .destination(location) } else { nil }
        case .toOne, .merge, .increment, .keep, .members, .edit: nil
        }
    }
}
