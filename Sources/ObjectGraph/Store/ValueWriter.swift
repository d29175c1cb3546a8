// SPDX-License-Identifier: Apache-2.0

// Writing large values to a store in pieces.

import FoundationEssentials
public import Predicates
import Synchronization

/// Accepts a value in pieces. A writer that is released before it is finished leaves nothing behind.
///
///     let writer = try coordinator.stageValue(for: photo, of: person.entity)
///     for try await piece in body { try writer.append(piece.span) }
///     let staged = try writer.finish()
///     try person.setValue(staged.value, forKey: "photo")
///     try context.save()
public protocol ValueWriter: Sendable {
    func append(_ bytes: Span<UInt8>) throws

    /// Returns the value; nothing can be appended after that.
    func finish() throws -> StagedValue
}

/// A value that a store has accepted and that no object has yet. Keep it until its object is saved: an unsaved value's
/// data is removed when it is released. A save after that is still correct, but slower.
public final class StagedValue: Sendable {
    public let value: Value
    private let kept: (any Sendable)?

    /// - Parameter kept: Resources that the store ties to the life of the value.
    public init(_ value: Value, keeping kept: (any Sendable)? = nil) {
        self.value = value
        self.kept = kept
    }
}

extension PersistentStore {
    /// The default: collects the value in memory.
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
