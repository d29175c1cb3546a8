// SPDX-License-Identifier: Apache-2.0

// Notes: the result of a save under a key, for repeated requests with the same key.

public import FoundationEssentials

/// Bytes that were written in the same transaction as a save or a batch.
public struct StoreNote: Hashable, Sendable {
    public let key: String
    public let content: [UInt8]
    public let made: Date

    public init(key: String, content: [UInt8], made: Date) {
        self.key = key
        self.content = content
        self.made = made
    }
}

/// A note to be kept with a save or a batch. Its content is created from the result, before the commit.
///
///     let note = PendingNote<SavedRows>(key: "order 7", keptSince: .now - 86_400) { rows in Array("done".utf8) }
///     try context.save { note }
///
/// 1. The content may be created on another thread while the caller waits, and more than once. It must not call the
///    stores.
/// 2. If creating it throws, nothing is saved, and the save's error has that error as its underlying one.
/// 3. If the key has a note already, the save is refused with `noteTaken`, and nothing is saved.
public struct PendingNote<Outcome>: Sendable {
    public let key: String
    public let made: Date
    /// Older notes are expired: their keys are free, and the store may remove them, except those that don't expire.
    public let keptSince: Date
    /// Whether the store may remove the note once it is older than the `keptSince` of another one. A note without a
    /// `keptSince` of its own is kept whatever is saved under other keys.
    public var expires: Bool { keptSince > .distantPast }
    private let content: @Sendable (Outcome) throws -> [UInt8]

    public init(
        key: String,
        made: Date = .now,
        keptSince: Date = .distantPast,
        content: @escaping @Sendable (Outcome) throws -> [UInt8]
    ) {
        self.key = key
        self.made = made
        self.keptSince = keptSince
        self.content = content
    }

    /// The note for a result.
    public func note(of outcome: Outcome) throws -> StoreNote {
        StoreNote(key: key, content: try content(outcome), made: made)
    }

    /// The same note for another type of result.
    func adapted<Origin>(from outcome: @escaping @Sendable (Origin) -> Outcome) -> PendingNote<Origin> {
        PendingNote<Origin>(key: key, made: made, keptSince: keptSince) { [content] in try content(outcome($0)) }
    }
}

/// The rows that a save has written, in sendable form.
public struct SavedRows: Sendable {
    private let rows: [ManagedObjectID: Snapshot]
    private let permanentIDs: [ManagedObjectID: ManagedObjectID]

    init(_ rows: [Snapshot] = [], permanentIDs: [ManagedObjectID: ManagedObjectID]) {
        self.rows = Dictionary(rows.map { ($0.objectID, $0) }) { _, last in last }
        self.permanentIDs = permanentIDs
    }

    /// The row of an object, by its ID before or after the save; nil if the save hasn't written it.
    public subscript(objectID: ManagedObjectID) -> Snapshot? { rows[permanentID(of: objectID)] }

    /// The ID of an object after the save.
    public func permanentID(of objectID: ManagedObjectID) -> ManagedObjectID { permanentIDs[objectID] ?? objectID }
}
