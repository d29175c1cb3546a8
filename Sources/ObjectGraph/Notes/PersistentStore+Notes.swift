// SPDX-License-Identifier: Apache-2.0

// Notes for stores that keep none, and batches with notes for those that do them by their other calls.

extension PersistentStore {
    public var keepsNotes: Bool { false }

    public func note(_ key: String) throws -> StoreNote? { nil }

    public func save(
        _ request: StoreSaveRequest,
        noting note: PendingNote<[Snapshot]>,
        telling tell: @escaping @Sendable ([Snapshot]) -> Void
    ) throws -> StoreSaveResult {
        throw GraphError.noteUnkept(identifier)
    }

    public func execute(
        _ batch: StoreBatchRequest,
        noting note: PendingNote<StoreBatchResult>,
        telling tell: @escaping @Sendable (StoreBatchResult) -> Void
    ) throws -> StoreBatchResult {
        try executeByRows(batch, noting: note, telling: tell)
    }
}
