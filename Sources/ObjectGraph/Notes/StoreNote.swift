// SPDX-License-Identifier: Apache-2.0

// What a store keeps of a save under a key, so that whoever comes with the key again can be told what came of it.

public import FoundationEssentials

/// Bytes that were written in one step with a save or a batch: they are there if that is, and not if it isn't.
public struct StoreNote: Hashable, Sendable {
    public let key: String
    public let content: [UInt8]
    public let made: Date

    public init(key: String, content: [UInt8], made: Date) {
        (self.key, self.content, self.made) = (key, content, made)
    }
}

/// A note that is to be kept with a save or a batch. Its content is made when that has come to something, and before it is done for
/// good.
///
///     let note = PendingNote<SavedRows>(key: "order 7", keptSince: .now - 86_400) { rows in Array("done".utf8) }
///     try context.save { note }
///
/// 1. The content may be made on another thread, while whoever saves waits, and more than once. It must not ask the stores.
/// 2. Where making it throws, nothing is saved, and the save throws that error as the underlying one of its own.
/// 3. A key that has a note already has the save refused with `noteTaken`; nothing is saved then.
public struct PendingNote<Outcome>: Sendable {
    public let key: String
    public let made: Date
    /// Older notes count no more: the store may remove them, and their keys are free.
    public let keptSince: Date
    private let content: @Sendable (Outcome) throws -> [UInt8]

    public init(
        key: String,
        made: Date = .now,
        keptSince: Date = .distantPast,
        content: @escaping @Sendable (Outcome) throws -> [UInt8]
    ) {
        (self.key, self.made, self.keptSince, self.content) = (key, made, keptSince, content)
    }

    /// The note of what was saved.
    public func note(of outcome: Outcome) throws -> StoreNote {
        StoreNote(key: key, content: try content(outcome), made: made)
    }

    /// The same note, made of something that the outcome is made of.
    func adapted<Origin>(from outcome: @escaping @Sendable (Origin) -> Outcome) -> PendingNote<Origin> {
        PendingNote<Origin>(key: key, made: made, keptSince: keptSince) { [content] in try content(outcome($0)) }
    }
}

/// The rows that a save has written, in a form that may go anywhere.
public struct SavedRows: Sendable {
    private let rows: [ManagedObjectID: Snapshot]
    private let permanentIDs: [ManagedObjectID: ManagedObjectID]

    init(_ rows: [Snapshot] = [], permanentIDs: [ManagedObjectID: ManagedObjectID]) {
        self.rows = Dictionary(rows.map { ($0.objectID, $0) }) { _, last in last }
        self.permanentIDs = permanentIDs
    }

    /// The row of an object, by the ID that it had before the save or has now; nil where the save hasn't written it.
    public subscript(objectID: ManagedObjectID) -> Snapshot? { rows[permanentID(of: objectID)] }

    /// The ID that an object has now.
    public func permanentID(of objectID: ManagedObjectID) -> ManagedObjectID { permanentIDs[objectID] ?? objectID }
}
