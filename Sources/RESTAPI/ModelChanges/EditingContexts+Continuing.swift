// SPDX-License-Identifier: Apache-2.0

// Carries editing contexts over to the API of another version of the model.

package import ObjectGraph
import Synchronization

/// The editing contexts of an API, to be continued by another one.
package struct SuspendedContexts: Sendable {
    /// The contexts that are only in memory, parents first.
    fileprivate let records: [ContextRecord]
    /// The last number of a context.
    fileprivate let last: Int
    /// Whether contexts are in files, from which the next API loads them.
    fileprivate let journal: ContextJournal?
}

extension API {
    /// The state of all editing contexts. They remain usable; if none is used any more, another API can continue them.
    package func suspendedContexts() throws -> SuspendedContexts {
        guard let contexts else { return SuspendedContexts(records: [], last: 0, journal: nil) }
        return try contexts.suspended()
    }

    /// Ends the contexts in memory without removing their files.
    package func releaseContexts() { contexts?.releaseAll() }

    /// Continues the contexts of another API. Those whose changes the model doesn't permit are lost.
    ///
    /// - Parameter migration: The migration of the stores since they were suspended.
    /// - Returns: The contexts that can't be continued, with the reasons.
    package func resume(
        _ suspended: SuspendedContexts,
        after migration: ModelMigration
    ) throws -> [(name: String, reason: String)] {
        try contexts?.resume(suspended, after: migration, in: self) ?? []
    }
}

extension EditingContexts {
    fileprivate func suspended() throws -> SuspendedContexts {
        let (contexts, last, journal) = state.withLock { state in
            let entries = state.entries.values.sorted { $0.head.number < $1.head.number }
            return (entries.compactMap(\.context), state.last, state.journal)
        }
        let records = try contexts.map { try $0.suspended() }
        return SuspendedContexts(records: journal == nil ? records : [], last: last, journal: journal)
    }

    fileprivate func releaseAll() {
        let contexts = state.withLock { state in
            let contexts = state.entries.values.compactMap(\.context)
            state.entries = [:]
            return contexts.sorted { $0.head.number > $1.head.number }
        }
        for context in contexts { leave(context) }
        countUnloaded()
    }

    fileprivate func resume(
        _ suspended: SuspendedContexts,
        after migration: ModelMigration,
        in api: API
    ) throws -> [(name: String, reason: String)] {
        if let journal = suspended.journal {
            let unrenamed = journal.rename(by: migration)
            _ = try keep(in: journal, of: api)
            // Their files have former names, which may be those of other properties now.
            state.withLock { state in
                for (number, loss) in unrenamed {
                    state.entries[number] = nil
                    state.lost[number] = loss
                }
            }
            return lost
        }
        state.withLock { $0.last = suspended.last }
        let drafts = try Catalogue(api.coordinator.model, includesTransients: true)
        for record in suspended.records {
            do {
                let context = try continued(record.renamed(by: migration), drafts, in: api)
                let size = try context.perform(\.pendingSizeBound)
                memory.set(size, for: record.number)
                let entry = Entry(head: context.head, context: context, opening: record.answers.opening, size: size)
                state.withLock { $0.entries[record.number] = entry }
            } catch {
                let loss = error as? ContextLoadError ?? ContextLoadError(of: error)
                state.withLock { $0.lost[record.number] = loss }
            }
        }
        return lost
    }

    private func continued(_ record: ContextRecord, _ drafts: Catalogue, in api: API) throws -> EditingContext {
        let parent = try record.parent.map { number in
            guard let parent = state.withLock({ $0.entries[number]?.context }) else {
                throw ContextLoadError(withoutParent: number)
            }
            return parent
        }
        let head = ContextHead(
            number: record.number,
            settings: record.settings,
            parent: parent?.head,
            created: record.created,
            now: api.options.now
        )
        return try EditingContext(
            head,
            parent: parent,
            in: api,
            drafts: drafts,
            journal: nil,
            restoring: record
        )
    }
}

extension ContextJournal {
    /// Writes the files in which entities and properties have other names after a migration. A file that can't be read
    /// remains as it is.
    ///
    /// - Returns: The numbers of those that couldn't be written, with the reasons.
    fileprivate func rename(by migration: ModelMigration) -> [(number: Int, loss: ContextLoadError)] {
        numbers.all.compactMap { number in
            guard let record = try? record(number), let renamed = try? record.renamed(by: migration),
                renamed.archives != record.archives || renamed.permanentURIs != record.permanentURIs
            else { return nil }
            do {
                _ = try write(renamed)
                return nil
            } catch {
                return (number, ContextLoadError(of: error))
            }
        }
    }
}

extension ContextRecord {
    /// The record with the names of the version that a migration ends with.
    fileprivate func renamed(by migration: ModelMigration) throws(GraphError) -> ContextRecord {
        var record = self
        record.archives = try archives.map { archive throws(GraphError) in try archive.renamed(by: migration) }
        record.permanentURIs = permanentURIs.compactMapValues(migration.uri(after:))
        return record
    }
}
