// SPDX-License-Identifier: Apache-2.0

// What a store commits with a write besides the rows.

/// What a store keeps in the same transaction as a save or a batch, and a notification after its commit.
///
///     func save(_ request: StoreSaveRequest, commit: Commit<[Snapshot]>) throws -> StoreSaveResult {
///         let rows = …
///         commit.notify(of: rows)
///         return .saved(rows)
///     }
///
/// 1. The note, and the transaction in the store's history, are written together with the rows, or nothing is.
/// 2. `notify(of:)` is called once, when the write is durable and before the call returns; never after conflicts or an
///    error. A store whose `acceptsConcurrentSaves` is true calls it in commit order.
/// 3. An adapted commit is the same commit for a write with another type of outcome.
public struct Commit<Outcome: Sendable>: Sendable {
    /// The context and author of the write, for the store's history.
    public var origin: SaveOrigin
    /// The note to keep, even if no row changes. It is nil for a store whose `keepsNotes` is false.
    public var note: PendingNote<Outcome>?
    private let whenCommitted: @Sendable (Outcome, Int64?) -> Void

    /// - Parameter whenCommitted: Called with the outcome, and the number of the transaction in the store's history.
    public init(
        origin: SaveOrigin = SaveOrigin(),
        note: PendingNote<Outcome>? = nil,
        whenCommitted: @escaping @Sendable (Outcome, Int64?) -> Void = { _, _ in }
    ) {
        self.origin = origin
        self.note = note
        self.whenCommitted = whenCommitted
    }

    /// Notifies the row cache and the live contexts of the commit, and queues the notification of observers.
    ///
    /// - Parameter transaction: The number of the transaction in the store's history; nil if it keeps none.
    public func notify(of outcome: Outcome, as transaction: Int64? = nil) { whenCommitted(outcome, transaction) }

    func adapted<Origin: Sendable>(from outcome: @escaping @Sendable (Origin) -> Outcome) -> Commit<Origin> {
        Commit<Origin>(origin: origin, note: note?.adapted(from: outcome)) { [whenCommitted] in
            whenCommitted(outcome($0), $1)
        }
    }
}
