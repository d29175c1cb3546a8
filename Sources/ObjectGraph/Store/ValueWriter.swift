// SPDX-License-Identifier: Apache-2.0

// Large values on their way into a store, piece by piece.

import FoundationEssentials
public import Predicates
import Synchronization

/// Takes in a value piece by piece. One that is dropped before it is finished leaves nothing behind.
///
///     let writer = try coordinator.stageValue(for: photo, of: person.entity)
///     for try await piece in body { try writer.append(piece.span) }
///     let staged = try writer.finish()
///     try person.setValue(staged.value, forKey: "photo")
///     try context.save()
public protocol ValueWriter: Sendable {
    func append(_ bytes: Span<UInt8>) throws

    /// The value that was taken in; nothing can be appended any more.
    func finish() throws -> StagedValue
}

/// A value that a store has taken in and no object has yet. It is to be held until the object that was given it is saved: what
/// the store keeps for it is gone when nobody holds it and it wasn't saved. A save after that is right as well, but slower.
public final class StagedValue: Sendable {
    public let value: Value
    private let kept: (any Sendable)?

    /// - Parameter kept: What the store ties to the life of the value.
    public init(_ value: Value, keeping kept: (any Sendable)? = nil) {
        (self.value, self.kept) = (value, kept)
    }
}

extension PersistentStore {
    /// In memory, for stores that have no better way.
    public func stageValue(for attribute: AttributeDescription) throws -> any ValueWriter {
        try attribute.checkIsBinary()
        return DataWriter()
    }
}

/// Collects a value in memory.
public final class DataWriter: ValueWriter {
    private let collected = Mutex<[UInt8]>([])

    public init() {}

    public func append(_ bytes: Span<UInt8>) {
        collected.withLock { collected in
            for index in bytes.indices { collected.append(bytes[index]) }
        }
    }

    public func finish() -> StagedValue { StagedValue(.data(Data(collected.withLock { $0 }))) }
}
