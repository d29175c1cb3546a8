// SPDX-License-Identifier: Apache-2.0

// Numbered temporary IDs, by which new objects can be named outside of their contexts.

public import FoundationEssentials
import Synchronization

/// The temporary IDs of related contexts, numbered consecutively from 1.
///
/// A number refers to its object for the life of this instance: to the permanent ID once there is one.
public final class TemporaryIDs: Sendable {
    /// A UUID that these IDs share, and no others.
    public let namespace: UUID

    private struct State {
        var last: UInt32 = 0
        /// The ID that each number was assigned to.
        var given: [UInt32: ManagedObjectID] = [:]
        var permanent: [ManagedObjectID: ManagedObjectID] = [:] {
            didSet { changes += 1 }
        }
        var changes = 0
        /// The IDs that became permanent since the last drain.
        var renamed: [ManagedObjectID: ManagedObjectID] = [:]
    }

    private let state = Mutex(State())

    public init(namespace: UUID = UUID()) {
        var bytes = namespace.uuid
        bytes.4 = 0
        bytes.5 = 0
        bytes.6 = 0
        bytes.7 = 0
        self.namespace = UUID(uuid: bytes)
    }

    /// The ID of a number, permanent if the object was saved; nil if the number wasn't assigned.
    public func objectID(numbered number: UInt32) -> ManagedObjectID? {
        state.withLock { state in state.given[number].map { state.permanent[$0] ?? $0 } }
    }

    /// The permanent IDs of saved objects, by number.
    public var permanentIDs: [UInt32: ManagedObjectID] {
        state.withLock { state in state.given.compactMapValues { state.permanent[$0] } }
    }

    /// The number of changes of `permanentIDs`.
    public var permanentChanges: Int { state.withLock(\.changes) }

    /// Restores the assignments that another process has made.
    ///
    /// - Parameters:
    ///   - last: The last assigned number.
    ///   - permanent: The IDs that became permanent, by number.
    public func resume(after last: UInt32, permanent: [UInt32: ManagedObjectID]) {
        state.withLock { state in
            state.last = max(state.last, last)
            for (number, objectID) in permanent {
                let temporary = temporaryID(numbered: number, as: objectID.entity)
                state.given[number] = temporary
                state.permanent[temporary] = objectID
            }
        }
    }

    /// The same for objects that are still new.
    func resume(given: [ManagedObjectID]) {
        state.withLock { state in
            for objectID in given {
                guard let number = objectID.temporaryNumber, case .temporary(identifier(of: number)) = objectID.origin,
                    state.given[number] == nil
                else { continue }
                state.given[number] = objectID
                state.last = max(state.last, number)
            }
        }
    }

    func temporaryID(numbered number: UInt32, as entity: EntityDescription) -> ManagedObjectID {
        ManagedObjectID(entity: entity, temporary: identifier(of: number))
    }

    /// The last assigned number.
    public var last: UInt32 { state.withLock { $0.last } }

    func next(for entity: EntityDescription) -> ManagedObjectID {
        state.withLock { state in
            state.last += 1
            let objectID = ManagedObjectID(entity: entity, temporary: identifier(of: state.last))
            state.given[state.last] = objectID
            return objectID
        }
    }

    /// Records that an object was saved.
    func recordSave(of temporary: ManagedObjectID, as permanent: ManagedObjectID) {
        state.withLock { state in
            guard state.permanent.updateValue(permanent, forKey: temporary) == nil else { return }
            state.renamed[temporary] = permanent
        }
    }

    /// Makes the number of an object that a save merged into another one refer to that one, for child contexts too. In
    /// the context that saved, the merged object stays deleted.
    public func replace(_ temporary: ManagedObjectID, by permanent: ManagedObjectID) {
        state.withLock { state in
            state.permanent[temporary] = permanent
            state.renamed[temporary] = permanent
        }
    }

    func drainRenamed() -> [ManagedObjectID: ManagedObjectID] {
        state.withLock { state in
            defer { state.renamed = [:] }
            return state.renamed
        }
    }

    private func identifier(of number: UInt32) -> UUID {
        func byte(_ place: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: number >> (8 * place)) }
        var bytes = namespace.uuid
        bytes.4 = byte(3)
        bytes.5 = byte(2)
        bytes.6 = byte(1)
        bytes.7 = byte(0)
        return UUID(uuid: bytes)
    }
}

extension ManagedObjectID {
    /// The number of a numbered temporary ID; nil for a permanent one.
    public var temporaryNumber: UInt32? {
        guard case .temporary(let identifier) = origin else { return nil }
        let bytes = identifier.uuid
        return [bytes.4, bytes.5, bytes.6, bytes.7].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
