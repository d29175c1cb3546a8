// SPDX-License-Identifier: Apache-2.0

// Checks the rows of a batch by name and type, before any store is asked.

import ObjectModel
import Predicates
import SourceText

/// Resolves dictionaries into rows, and counts them.
struct BatchRowReader {
    let request: BatchInsertRequest
    let entity: EntityDescription
    let model: ManagedObjectModel
    let store: any PersistentStore
    private var count = 0
    /// The destinations read last: many rows refer to few objects, and parsing a URI takes longer than reading a row.
    private var known: [RelationshipDescription: [ObjectReference: ManagedObjectID]] = [:]

    private static let knownLimit = 10_000

    init(
        _ request: BatchInsertRequest,
        of entity: EntityDescription,
        in model: ManagedObjectModel,
        for store: any PersistentStore
    ) {
        self.request = request
        self.entity = entity
        self.model = model
        self.store = store
    }

    /// The next row, or nil at the end.
    mutating func next() throws(GraphError) -> StoreBatchInsertion.Row? {
        let number = count + 1
        do {
            guard let given = try request.nextRow() else { return nil }
            if let maximum = request.maximum, number > maximum { throw GraphError.limitExceeded(maximum) }
            count = number
            var row = try row(given.values, number)
            row.kept = given.kept
            return row
        } catch let error as GraphError {
            throw error.of(row: number)
        } catch {
            throw .unreadable(row: number, error)
        }
    }

    /// All rows up to a number, or fewer if they exceed the size of a chunk.
    mutating func next(_ limit: Int?) throws(GraphError) -> [StoreBatchInsertion.Row] {
        var rows: [StoreBatchInsertion.Row] = []
        var size = 0
        while limit.map({ rows.count < $0 && size < StoreBatchInsertion.chunkBytes }) ?? true, let row = try next() {
            size += row.row.approximateSize
            rows.append(row)
        }
        return rows
    }

    private mutating func row(_ values: [String: Value], _ number: Int) throws(GraphError) -> StoreBatchInsertion.Row {
        var row = StoreBatchInsertion.Row(number: number, row: Row(of: entity))
        for attribute in entity.attributes where attribute.isTransient || attribute.isDerived {
            row.row.attributes[attribute.slot] = .null
        }
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            switch try entity.settableProperty(named: name) {
            case .attribute(let attribute):
                guard let accepted = attribute.accepting(value) else {
                    throw .wrongType(value, for: attribute, of: entity)
                }
                row.row.attributes[attribute.slot] = accepted
                row.attributes.append(attribute.slot)
            case .relationship(let relationship) where relationship.isToMany:
                row.members[relationship] = try members(value, of: relationship)
            case .relationship(let relationship):
                row.row.toOnes[relationship.slot] = try destination(value, of: relationship)
                row.toOnes.append(relationship.slot)
            case .fetched: break
            }
        }
        return row
    }

    private mutating func destination(
        _ value: Value,
        of relationship: RelationshipDescription
    ) throws(GraphError) -> ManagedObjectID? {
        if case .reference(let reference) = value, let objectID = known[relationship]?[reference] { return objectID }
        let objectID = try model.destination(value, of: relationship, ownedBy: entity, in: store)
        guard case .reference(let reference) = value else { return objectID }
        if known[relationship]?.count ?? 0 >= Self.knownLimit { known[relationship] = [:] }
        known[relationship, default: [:]][reference] = objectID
        return objectID
    }

    private func members(
        _ value: Value,
        of relationship: RelationshipDescription
    ) throws(GraphError) -> [ManagedObjectID] {
        guard relationship.isManyToMany else {
            throw GraphError(
                .notWritable,
                "\(entity.name).\(relationship.name) is determined by its to-one inverse.",
                property: relationship.name,
                hint: relationship.inverse.map {
                    "Set \(relationship.relationship.destinationName).\($0.name) instead."
                }
            )
        }
        guard case .array(let references) = value else {
            throw .noReference(value, for: relationship, of: entity, "a list of references")
        }
        return try references.map { reference throws(GraphError) in
            guard case .reference(let reference) = reference else {
                throw .noReference(value, for: relationship, of: entity, "a list of references")
            }
            return try model.objectID(reference, for: relationship, in: store)
        }
    }
}

extension EntityDescription {
    /// A property that a batch may set.
    ///
    /// - Parameter isTransientToo: Whether to accept transient properties, which only contexts keep.
    func settableProperty(
        named name: String,
        orTransient isTransientToo: Bool = false
    ) throws(GraphError) -> PropertyDescription {
        let property = property(named: name)
        let reason: String
        switch property {
        case nil: throw .unknownKey(name, of: self)
        case .attribute(let attribute) where attribute.isDerived: reason = "is derived, and can't be set"
        case .attribute(let attribute) where attribute.isTransient && !isTransientToo:
            reason = "is transient, and isn't stored"
        case .relationship(let relationship) where relationship.isTransient && !isTransientToo:
            reason = "is transient, and isn't stored"
        case .fetched: reason = "is a fetched property, and can't be set"
        case .some(let property): return property
        }
        throw GraphError(.notWritable, "\(self.name).\(name) \(reason).", property: name)
    }
}

extension ManagedObjectModel {
    /// The destination of a to-one relationship that a constant names, or nil.
    func destination(
        _ value: Value,
        of relationship: RelationshipDescription,
        ownedBy entity: EntityDescription,
        in store: any PersistentStore
    ) throws(GraphError) -> ManagedObjectID? {
        switch value {
        case .null: return nil
        case .reference(let reference): return try objectID(reference, for: relationship, in: store)
        default: throw .noReference(value, for: relationship, of: entity, "a reference")
        }
    }

    /// The ID of an object in a store that a relationship may refer to.
    func objectID(
        _ reference: ObjectReference,
        for relationship: RelationshipDescription,
        in store: any PersistentStore
    ) throws(GraphError) -> ManagedObjectID {
        guard let parts = parts(ofURI: reference.uri), let identifier = parts.store,
            identifier != store.identifier || store.reference(from: parts.reference) != nil
        else {
            throw GraphError(
                .invalidRequest,
                "\(relationship.name) can't refer to \(reference), which isn't an object of a store.",
                property: relationship.name,
                hint: reference.uri.hasPrefix("x-coredata:///") ? "Save the object first." : nil
            )
        }
        guard parts.entity.rootIndex == destination(of: relationship).rootIndex else {
            throw .wrongDestination(parts.entity, of: relationship)
        }
        guard identifier == store.identifier, let known = store.reference(from: parts.reference) else {
            throw GraphError(
                .acrossStores,
                "\(relationship.name) can't refer to \(reference), which is in another store.",
                property: relationship.name,
                hint: "A fetched property can find objects of another store."
            )
        }
        return ManagedObjectID(entity: parts.entity, store: identifier, reference: known)
    }
}

extension GraphError {
    /// The closure of a batch threw an error for a row.
    static func unreadable(row number: Int, _ reason: any Error) -> GraphError {
        var error = GraphError(.invalidRequest, "Row \(number) of the batch couldn't be read: \(reason)")
        error.underlying = reason
        return error.of(row: number)
    }

    static func noReference(
        _ value: Value,
        for relationship: RelationshipDescription,
        of entity: EntityDescription,
        _ expected: String
    ) -> GraphError {
        GraphError(
            .wrongType,
            "\(entity.name).\(relationship.name) takes \(expected) and can't be \(ObjectExpression.constant(value)).",
            property: relationship.name
        )
    }
}
