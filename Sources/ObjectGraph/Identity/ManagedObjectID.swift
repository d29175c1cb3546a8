// SPDX-License-Identifier: Apache-2.0

// Which object is meant, wherever it is: in a context, in a store, in a URL.

public import FoundationEssentials
import Synchronization

/// The identity of an object: temporary until its first save, then for ever that of its row in a store.
///
/// IDs are values, although a class keeps them small to hand around: two that name the same row are equal.
public final class ManagedObjectID: Sendable {
    /// What a store calls a row.
    public enum Reference: Hashable, Sendable {
        case integer(Int64)
        case text(String)
    }

    enum Origin: Hashable, Sendable {
        case store(UUID, Reference)
        case temporary(UUID)
    }

    /// The entity that the object is of, or one above it where no more is known.
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

    /// A temporary ID that was given before.
    init(entity: EntityDescription, temporary identifier: UUID) {
        self.entity = entity
        origin = .temporary(identifier)
        hash = Self.hash(origin, entity)
    }

    public var isTemporary: Bool {
        if case .temporary = origin { true } else { false }
    }

    /// The store that has its row; nil for a temporary ID.
    public var storeIdentifier: UUID? {
        if case .store(let identifier, _) = origin { identifier } else { nil }
    }

    /// What the store calls its row; nil for a temporary ID.
    public var reference: Reference? {
        if case .store(_, let reference) = origin { reference } else { nil }
    }

    /// All stores number the rows of a hierarchy together, so that an entity above the object's names the same row.
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

/// UUIDs that differ from all others of the process by a count, and from those of other processes by chance.
private enum TemporaryNumbers {
    private static let process = UUID().uuid
    private static let count = Atomic<UInt64>(0)

    static func next() -> UUID {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        func byte(_ place: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: number >> (8 * place)) }
        var bytes = process
        (bytes.8, bytes.9, bytes.10, bytes.11) = (byte(7), byte(6), byte(5), byte(4))
        (bytes.12, bytes.13, bytes.14, bytes.15) = (byte(3), byte(2), byte(1), byte(0))
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
