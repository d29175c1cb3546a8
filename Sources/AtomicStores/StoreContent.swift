// SPDX-License-Identifier: Apache-2.0

// The content of a store file, independent of its format.

public import FoundationEssentials
public import ObjectGraph
public import ObjectModel
public import Predicates

/// The format of a store file. Implement it to add a type of store.
public protocol AtomicFileFormat: Sendable {
    /// The type in the store's metadata.
    var storeType: String { get }

    /// Reads a complete file. Throws if it is damaged or of another model; see `StoreHead.requireModel(_:)`.
    func read(_ bytes: [UInt8], model: ManagedObjectModel) throws(StoreFileError) -> StoreContent

    /// Writes a complete file. Equal contents give equal bytes.
    func write(_ content: StoreContent, model: ManagedObjectModel) throws(StoreFileError) -> [UInt8]
}

/// The content of a store file.
public struct StoreContent: Hashable, Sendable {
    public var head: StoreHead
    /// By entity in the order of the model, then by reference.
    public var objects: [FileObject]

    public init(head: StoreHead, objects: [FileObject]) {
        self.head = head
        self.objects = objects
    }
}

/// The head of a store file.
public struct StoreHead: Hashable, Sendable {
    public var identifier: UUID
    public var metadata: StoreMetadata
    /// The version hashes of the model that the file was written with, by entity.
    public var versionHashes: [String: VersionHash]
    /// The largest number that was given to an object; none is given twice.
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

    /// Throws if the file was written with another version of the model.
    public func requireModel(_ model: ManagedObjectModel) throws(StoreFileError) {
        let present = model.model.versionHashes()
        let names = Set(present.keys).union(versionHashes.keys).filter { present[$0] != versionHashes[$0] }
        guard names.isEmpty else { throw .otherModel(names.sorted()) }
    }
}

/// An object in a file. Objects refer to each other by number, which is unique in a store.
public struct FileObject: Hashable, Sendable {
    public var entity: EntityDescription
    public var reference: Int64
    public var version: Int64
    public var attributes: [Value]
    public var toOnes: [Int64?]
    /// The members of the to-many relationships that are `isListed`; empty for others.
    public var toManys: [[Int64]]

    /// Creates an object without values.
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
    /// Whether a file lists the members of this to-many relationship: if it is ordered, or if neither the members'
    /// rows nor the list of the inverse determine them.
    public var isListed: Bool {
        guard isToMany, !isTransient else { return false }
        if isOrdered { return true }
        guard isManyToMany else { return false }
        return inverse.map { !$0.isOrdered && name <= $0.name } ?? true
    }
}
