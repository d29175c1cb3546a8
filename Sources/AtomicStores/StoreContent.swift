// SPDX-License-Identifier: Apache-2.0

// What a store file says, apart from how it says it.

public import FoundationEssentials
public import ObjectGraph
public import ObjectModel
public import Predicates

/// How the content of a store stands in a file. A format of one's own makes a store of one's own.
public protocol AtomicFileFormat: Sendable {
    /// What the store's metadata give as its type.
    var storeType: String { get }

    /// Reads a whole file, or throws where it is damaged or of another model; see `StoreHead.requireModel(_:)`.
    func read(_ bytes: [UInt8], model: ManagedObjectModel) throws(StoreFileError) -> StoreContent

    /// Writes a whole file; the same bytes for the same content.
    func write(_ content: StoreContent, model: ManagedObjectModel) throws(StoreFileError) -> [UInt8]
}

/// The content of a store file.
public struct StoreContent: Hashable, Sendable {
    public var head: StoreHead
    /// By entity in the order of the model, then by reference.
    public var objects: [StoredObject]

    public init(head: StoreHead, objects: [StoredObject]) {
        self.head = head
        self.objects = objects
    }
}

/// What a store file says of itself.
public struct StoreHead: Hashable, Sendable {
    public var identifier: UUID
    public var metadata: StoreMetadata
    /// Those of the model that the file was written with, by entity.
    public var versionHashes: [String: VersionHash]
    /// The greatest number that was given to an object, so that none is given twice.
    public var lastReference: Int64

    public init(
        identifier: UUID,
        metadata: StoreMetadata = StoreMetadata(),
        versionHashes: [String: VersionHash],
        lastReference: Int64
    ) {
        self.identifier = identifier
        self.metadata = metadata
        self.versionHashes = versionHashes
        self.lastReference = lastReference
    }

    /// Throws where the file was written with entities that are others in a model.
    public func requireModel(_ model: ManagedObjectModel) throws(StoreFileError) {
        let present = model.model.versionHashes()
        let names = Set(present.keys).union(versionHashes.keys).filter { present[$0] != versionHashes[$0] }
        guard names.isEmpty else { throw .otherModel(names.sorted()) }
    }
}

/// An object as a file has it. Objects name each other by their numbers, which no two objects of a store share.
public struct StoredObject: Hashable, Sendable {
    public var entity: EntityDescription
    public var reference: Int64
    public var version: Int64
    public var attributes: [Value]
    public var toOnes: [Int64?]
    /// The members of those to-many relationships that are `isListed`; empty for others.
    public var toManys: [[Int64]]

    /// An object of nothing but nil.
    public init(entity: EntityDescription, reference: Int64, version: Int64) {
        self.entity = entity
        self.reference = reference
        self.version = version
        attributes = Array(repeating: .null, count: entity.attributes.count)
        toOnes = Array(repeating: nil, count: entity.toOnes.count)
        toManys = Array(repeating: [], count: entity.toManys.count)
    }
}

extension RelationshipDescription {
    /// Whether a file lists the members of this to-many relationship: where their order counts, or where neither the members'
    /// own rows nor the list of the other side tell them.
    public var isListed: Bool {
        guard isToMany, !isTransient else { return false }
        if isOrdered { return true }
        guard isManyToMany else { return false }
        return inverse.map { !$0.isOrdered && name <= $0.name } ?? true
    }
}
