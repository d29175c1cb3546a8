// SPDX-License-Identifier: Apache-2.0

// What belongs to a write of a store besides the rows.

/// What a store keeps in the same transaction as a save or a batch, and what follows when that is committed.
///
///     func save(_ request: StoreSaveRequest, commit: Commit<[Snapshot]>) throws -> StoreSaveResult {
///         let rows = …
///         commit.notify(of: rows)
///         return .saved(rows)
///     }
///
/// 1. The note and the marks are written with the rows, or neither is.
/// 2. `notify(of:)` is called once, when the write is durable and before the call returns; never after conflicts or an error. A store whose
///    `savesTogether` is true makes these calls in the order of its commits.
/// 3. An adapted commit is the same one for a write whose outcome is another value.
public struct Commit<Outcome: Sendable>: Sendable {
    /// The note to keep, also where no row changes. It is nil for a store whose `keepsNotes` is false.
    public var note: PendingNote<Outcome>?
    /// The marks to keep if anything is written. A store that can't leaves them out.
    public var marks: [CommitMark]
    private let whenCommitted: @Sendable (Outcome) -> Void

    public init(
        note: PendingNote<Outcome>? = nil,
        marks: [CommitMark] = [],
        whenCommitted: @escaping @Sendable (Outcome) -> Void = { _ in }
    ) {
        self.note = note
        self.marks = marks
        self.whenCommitted = whenCommitted
    }

    /// Tells the row cache, the live contexts and the observers what was committed.
    public func notify(of outcome: Outcome) { whenCommitted(outcome) }

    func adapted<Origin: Sendable>(from outcome: @escaping @Sendable (Origin) -> Outcome) -> Commit<Origin> {
        Commit<Origin>(note: note?.adapted(from: outcome), marks: marks) { [whenCommitted] in
            whenCommitted(outcome($0))
        }
    }
}

/// How far a long piece of work has come: after a crash the store says which part of it was committed.
public struct CommitMark: Hashable, Sendable {
    /// What distinguishes the work from others.
    public let key: String
    public let position: Int64

    public init(key: String, position: Int64) {
        self.key = key
        self.position = position
    }
}
