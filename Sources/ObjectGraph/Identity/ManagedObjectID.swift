// SPDX-License-Identifier: Apache-2.0

// The identity of an object in contexts, stores and URLs.

public import FoundationEssentials
import Synchronization

/// The identity of an object: temporary until its first save, then permanently that of its row in a store.
///
/// IDs are values, implemented as a class to be small: two that name the same row are equal.
public final class ManagedObjectID: Sendable {
    /// A store's name for a row.
    public enum Reference: Hashable, Sendable {
        case integer(Int64)
        case text(String)
    }

    enum Origin: Hashable, Sendable {
        case store(UUID, Reference)
        case temporary(UUID)
    }

    /// The entity of the object, or a superentity if its own isn't known.
    public let entity: EntityDescription
    let origin: Origin
    private let hash: Int

    /// The ID of a row in a store.
    public init(entity: EntityDescription, store: UUID, reference: Reference) {
        self.entity = entity
        origin = .store(store, reference)
        hash = Self.hash(origin, entity)
    }

    /// A new temporary ID.
    init(temporaryFor entity: EntityDescription) {
        self.entity = entity
        origin = .temporary(TemporaryNumbers.next())
        hash = Self.hash(origin, entity)
    }

    /// An existing temporary ID.
    init(entity: EntityDescription, temporary identifier: UUID) {
        self.entity = entity
        origin = .temporary(identifier)
        hash = Self.hash(origin, entity)
    }

    public var isTemporary: Bool {
        if case .temporary = origin { true } else { false }
    }

    /// The store of its row, or nil for a temporary ID.
    public var storeIdentifier: UUID? {
        if case .store(let identifier, _) = origin { identifier } else { nil }
    }

    /// The store's name for its row, or nil for a temporary ID.
    public var reference: Reference? {
        if case .store(_, let reference) = origin { reference } else { nil }
    }

    /// Stores number the rows of a hierarchy together, so an ID with a superentity names the same row.
    private static func hash(_ origin: Origin, _ entity: EntityDescription) -> Int {
        var hasher = Hasher()
        switch origin {
        case .store(_, let reference): hasher.combine(reference)
        case .temporary(let identifier): hasher.combine(identifier)
        }
        hasher.combine(entity.rootIndex)
        return hasher.finalize()
    }
}

/// UUIDs that are unique within the process by a count, and across processes by chance.
private enum TemporaryNumbers {
    private static let process = UUID().uuid
    private static let count = Atomic<UInt64>(0)

    static func next() -> UUID {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        func byte(_ place: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: number >> (8 * place)) }
        var bytes = process
        bytes.8 = byte(7)
        bytes.9 = byte(6)
        bytes.10 = byte(5)
        bytes.11 = byte(4)
        bytes.12 = byte(3)
        bytes.13 = byte(2)
        bytes.14 = byte(1)
        bytes.15 = byte(0)
        return UUID(uuid: bytes)
    }
}

extension ManagedObjectID: Hashable {
    public static func == (one: ManagedObjectID, other: ManagedObjectID) -> Bool {
        one === other
            || one.hash == other.hash && one.entity.rootIndex == other.entity.rootIndex && one.origin == other.origin
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
