// SPDX-License-Identifier: Apache-2.0

// What a store's history records of a save or a batch.

public import FoundationEssentials
public import Predicates

/// The changes of one save or batch in one store.
public struct HistoryTransaction: Hashable, Sendable {
    public let store: UUID
    /// Its number in the store; later transactions have greater numbers.
    public let number: Int64
    public let timestamp: Date
    /// The author of the save, or nil.
    public let author: String?
    /// The name of the context that saved, or nil.
    public let contextName: String?
    /// Identifies the process that saved.
    public let processID: String?
    /// Identifies the program that saved.
    public let bundleID: String?
    /// The requested changes, in order.
    public var changes: [HistoryChange] = []
    /// Whether the result doesn't contain all of its changes, because they exceed the request's limit. The rest follows
    /// the result's token.
    public var isPartial = false
    /// The position behind these changes, in all stores of a coordinator.
    public internal(set) var token = HistoryToken()

    public init(
        store: UUID,
        number: Int64,
        timestamp: Date,
        author: String? = nil,
        contextName: String? = nil,
        processID: String? = nil,
        bundleID: String? = nil
    ) {
        self.store = store
        self.number = number
        self.timestamp = timestamp
        self.author = author
        self.contextName = contextName
        self.processID = processID
        self.bundleID = bundleID
    }
}

/// The change of one object in a transaction.
public struct HistoryChange: Hashable, Sendable {
    /// As in Core Data's tables.
    public enum Kind: Int, CaseIterable, Sendable {
        case insert = 0
        case update = 1
        case delete = 2
    }

    /// Its number in the store; later changes have greater numbers.
    public let number: Int64
    public let objectID: ManagedObjectID
    public let kind: Kind
    /// The names of the properties that an update changed, in order, or nil if they are unknown. Empty for other kinds.
    ///
    /// Of a relationship, the object whose row refers to the other one is changed. For many-to-many relationships, both
    /// are.
    public let properties: [String]?
    /// The values of a deleted object that the model preserves.
    public let tombstone: [String: Value]

    public init(
        number: Int64,
        objectID: ManagedObjectID,
        kind: Kind,
        properties: [String]? = [],
        tombstone: [String: Value] = [:]
    ) {
        self.number = number
        self.objectID = objectID
        self.kind = kind
        self.properties = properties
        self.tombstone = tombstone
    }

    /// Whether the change has incremented the version of the object's row, or nil if that isn't known. Members of
    /// to-many relationships and derived values aren't counted.
    public var incrementsVersion: Bool? {
        guard kind == .update else { return false }
        return properties.map { $0.contains(where: objectID.entity.isStoredInRow) }
    }
}

extension EntityDescription {
    /// Whether a property is an attribute or a to-one relationship that a row has, and that isn't computed.
    func isStoredInRow(_ name: String) -> Bool {
        switch property(named: name) {
        case .attribute(let attribute): attribute.isPersistent && !attribute.isDerived
        case .relationship(let relationship): !relationship.isToMany
        case .fetched, nil: false
        }
    }
}
