// SPDX-License-Identifier: Apache-2.0

// The history of an atomic store.

public import ObjectGraph
import Synchronization

extension AtomicStore: HistoryStore {
    public var keepsHistory: Bool { memory.withLock(\.history.isKept) }

    public func history(_ request: StoreHistoryRequest) throws -> StoreHistoryResult {
        try memory.withLock(\.history).result(of: request)
    }

    public func latestChanges(of objectID: ManagedObjectID, limit: Int) -> [HistoryChange] {
        memory.withLock(\.history).latestChanges(of: objectID, limit: limit)
    }

    public func historyEnd(at generation: (any StoreGeneration)?) -> HistoryToken.Position {
        (generation as? AtomicGeneration)?.historyEnd ?? memory.withLock(\.history.end)
    }

    public func trimHistory(_ trim: HistoryTrim) throws -> Int {
        // The file isn't written if there is nothing to trim.
        var trimmed = memory.withLock(\.history)
        guard trimmed.trim(trim) > 0 else { return 0 }
        return try changeHistory { $0.trim(trim) }
    }

    public func historyConsumers() -> [HistoryConsumer] {
        memory.withLock(\.history.consumers).values.sorted { $0.name < $1.name }
    }

    public func setHistoryConsumer(_ name: String, to position: HistoryToken.Position?) throws {
        try changeHistory { history in try history.set(name, to: position) }
    }

    /// Changes the history, and writes the file if there is one.
    private func changeHistory<Result: Sendable>(_ body: (inout AtomicHistory) throws -> Result) throws -> Result {
        guard !isReadOnly else { throw StoreFileError.readOnly(file?.path) }
        return try writing {
            guard let file else { return try memory.withLock { try body(&$0.history) } }
            try finishCommit(of: file)
            var next = memory.withLock { $0 }
            let result = try body(&next.history)
            try file.write(content(of: next), model: model)
            adopt(next)
            return result
        }
    }
}
