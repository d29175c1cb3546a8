// SPDX-License-Identifier: Apache-2.0

// Loads editing contexts from their files and unloads them.

import Files
import HTTPMessage
import JSON
import ObjectGraph
import Synchronization

extension EditingContexts {
    /// Keeps contexts in a folder from now on, and lists those that an earlier process has left there,
    /// unless all stores are read-only. Each is read once to check that it can be loaded; it is loaded by
    /// the first request for it.
    ///
    /// - Returns: The contexts that can't be loaded, and the reasons. Their files stay until they are ended.
    func keep(in folder: String, of api: API) throws -> [(name: String, reason: String)] {
        let stores = api.coordinator.stores
        let isReadOnly = !stores.isEmpty && stores.allSatisfy(\.isReadOnly)
        guard !isReadOnly || FileSystem.exists(folder) else { return [] }
        return try keep(in: ContextJournal(folder: folder), of: api)
    }

    /// Keeps contexts in a journal from now on, and lists those that are in it.
    func keep(in journal: ContextJournal, of api: API) throws -> [(name: String, reason: String)] {
        let stores = api.coordinator.stores
        let isReadOnly = !stores.isEmpty && stores.allSatisfy(\.isReadOnly)
        let (numbers, last) = journal.numbers
        state.withLock { state in
            state.journal = journal
            state.isReadOnly = isReadOnly
            state.last = last
            state.coordinator = api.coordinator
        }
        var recoverable: [ContextHead] = []
        for number in numbers {
            do {
                if isReadOnly { throw ContextLoadError("the server opens its stores read-only") }
                let (entry, isRecoverable) = try entry(number, journal: journal, of: api)
                state.withLock { $0.entries[number] = entry }
                if isRecoverable { recoverable.append(entry.head) }
            } catch {
                let loss = error as? ContextLoadError ?? ContextLoadError(of: error)
                state.withLock { $0.lost[number] = loss }
            }
        }
        countUnloaded()
        // Loaded now, since the stores' notes of saves expire.
        for head in recoverable { _ = try? load(head, in: api) }
        return lost
    }

    /// The entry for a context's file, and whether the stores have a save that the file lacks.
    private func entry(
        _ number: Int,
        journal: ContextJournal,
        of api: API
    ) throws -> (Entry, isRecoverable: Bool) {
        let record = try journal.record(number)
        let parent = try record.parent.map { (parent) throws(ContextLoadError) in
            guard let entry = state.withLock({ $0.entries[parent] }) else {
                throw ContextLoadError(withoutParent: parent)
            }
            return entry.head
        }
        for archive in record.archives { try api.coordinator.check(archive) }
        let head = ContextHead(
            number: number,
            settings: record.settings,
            parent: parent,
            created: record.created,
            now: api.options.now
        )
        let size = record.archives.reduce(0) { $0 + $1.bytes.count }
        let isRecoverable = try parent == nil && ContextSaveNote(after: record, in: api.coordinator) != nil
        return (Entry(head: head, opening: record.answers.opening, size: size), isRecoverable)
    }

    // MARK: Loading

    /// Loads a held context from its file, with its whole family.
    func load(_ head: ContextHead, in api: API) throws(Problem) -> EditingContext {
        try loading.withLock { _ throws(Problem) in
            let (tree, journal) = state.withLock { ($0.tree(of: head.root), $0.journal) }
            if let context = tree.first(where: { $0.head === head })?.context { return context }
            guard let journal, tree.contains(where: { $0.head === head }) else { throw .ended(head.name) }
            // The actual size is known only after loading; the size before or in the files is a good estimate.
            guard makeRoom(for: tree.reduce(0) { $0 + $1.size }) else {
                throw .notLoadable(head.name, limit: memory.limit)
            }
            let (loaded, losses) = try contexts(of: tree, journal: journal, in: api)
            let size = loaded.reduce(0) { $0 + $1.size }
            let hasRoom = makeRoom(for: size)
            for (context, size) in loaded where hasRoom { memory.set(size, for: context.head.number) }
            // Before others can use the contexts: a request in their turn may wait for `loading`.
            for (context, _) in loaded where hasRoom { try? context.writeIfOutdated() }
            state.withLock { state in
                for (context, size) in loaded {
                    state.entries[context.head.number]?.context = hasRoom ? context : nil
                    state.entries[context.head.number]?.size = size
                }
                for (number, loss) in losses {
                    state.entries[number] = nil
                    state.lost[number] = loss
                }
            }
            for (context, _) in loaded where !hasRoom { leave(context) }
            countUnloaded()
            if let loss = losses[head.number] { throw .lostAfterStart(head.name, because: loss) }
            guard hasRoom, let context = loaded.first(where: { $0.context.head === head })?.context else {
                throw .notLoadable(head.name, limit: memory.limit)
            }
            return context
        }
    }

    /// Loads contexts from their files. Returns them with their sizes in memory, and the reasons why
    /// others can't be loaded.
    private func contexts(
        of tree: [Entry],
        journal: ContextJournal,
        in api: API
    ) throws(Problem) -> (loaded: [(context: EditingContext, size: Int)], losses: [Int: ContextLoadError]) {
        var loaded: [(context: EditingContext, size: Int)] = []
        var losses: [Int: ContextLoadError] = [:]
        do {
            let drafts = try Catalogue(api.coordinator.model, includesTransients: true)
            for head in tree.map(\.head) {
                do {
                    let parent = loaded.first { $0.context.head === head.parent }?.context
                    if let above = head.parent, parent == nil { throw ContextLoadError(withoutParent: above.number) }
                    let record = try journal.record(head.number)
                    let context = try EditingContext(
                        head,
                        parent: parent,
                        in: api,
                        drafts: drafts,
                        journal: journal,
                        restoring: record
                    )
                    loaded.append((context, 0))
                    loaded[loaded.count - 1].size = try context.perform(\.pendingSizeBound)
                } catch let loss as ContextLoadError {
                    losses[head.number] = loss
                } catch let error as GraphError where error.isArchiveError {
                    losses[head.number] = ContextLoadError(of: error)
                }
            }
        } catch {
            // A later attempt may succeed.
            for (context, _) in loaded { leave(context) }
            throw (error as? GraphError).map { Problem($0, in: api.catalogue) }
                ?? .failed(error, "The editing context can't be read from its file.")
        }
        return (loaded, losses)
    }

    // MARK: Unloading

    /// Records the size of a context that a request has changed during its family's turn. If necessary, other contexts
    /// are unloaded.
    func reserve(_ size: Int, for number: Int) throws(Problem) {
        if memory.reserve(size, for: number) { return }
        let isTaken = loading.withLock { _ in
            makeRoom(for: size - memory.size(of: number)) && memory.reserve(size, for: number)
        }
        guard isTaken else { throw .contextMemoryFull(memory.limit) }
    }

    /// Unloads contexts, least recently used first, until there is room, and returns whether there is.
    func makeRoom(for size: Int) -> Bool {
        guard !memory.hasRoom(for: size) else { return true }
        // Use of a child counts as use of its root.
        let roots = state.withLock { state in
            state.entries.values.filter { $0.head.parent == nil && $0.context != nil }
                .map { (head: $0.head, lastUse: $0.head.lastUse) }
        }
        for (root, _) in roots.sorted(by: { $0.lastUse < $1.lastUse }) {
            unload(root)
            if memory.hasRoom(for: size) { return true }
        }
        return false
    }

    /// Unloads a context and its descendants, unless one is held or has state that isn't in its file.
    private func unload(_ root: ContextHead) {
        let contexts = state.withLock { state -> [EditingContext] in
            let tree = state.tree(of: root)
            let contexts = tree.compactMap(\.context)
            guard contexts.count == tree.count, contexts.allSatisfy({ $0.isKept && $0.head.merges && !$0.head.isHeld }),
                contexts.contains(where: { memory.size(of: $0.head.number) > 0 })
            else { return [] }
            for context in contexts { state.entries[context.head.number]?.context = nil }
            return contexts
        }
        do {
            for context in contexts { try context.writeIfOutdated() }
        } catch {
            return state.withLock { state in
                for context in contexts { state.entries[context.head.number]?.context = context }
            }
        }
        state.withLock { state in
            for number in contexts.map(\.head.number) { state.entries[number]?.size = memory.size(of: number) }
        }
        for context in contexts { leave(context) }
        countUnloaded()
    }

    /// Releases the memory of a context.
    func leave(_ context: EditingContext) {
        context.markEnded()
        context.family.remove(context.member)
        memory.set(0, for: context.head.number)
    }

    /// Updates the coordinator's count of unloaded contexts, which batches include in their results.
    func countUnloaded() {
        state.withLock { state in
            state.coordinator?.count(absentContexts: state.entries.values.count { $0.context == nil && $0.head.merges })
        }
    }
}

extension EditingContexts.State {
    /// A context and its descendants, parents first.
    fileprivate func tree(of root: ContextHead) -> [EditingContexts.Entry] {
        entries.values.filter { $0.head.isBelow(root) }.sorted { $0.head.number < $1.head.number }
    }
}

extension ContextLoadError {
    init(withoutParent number: Int) {
        self.init("its parent \(ContextHead.name(of: number)) couldn't be loaded")
    }
}

extension GraphError {
    /// Whether an archive is invalid for these stores and this model, which no retry can change.
    fileprivate var isArchiveError: Bool {
        [.invalidArchive, .unknownName, .wrongType, .unknownStore].contains(code)
    }
}

extension Problem {
    /// A loss that was detected after the start, and must be logged.
    fileprivate static func lostAfterStart(_ name: String, because loss: ContextLoadError) -> Problem {
        var problem = Problem.lost(name, because: loss)
        problem.reason = problem.detail
        return problem
    }

    fileprivate static func contextMemoryFull(_ limit: Int) -> Problem {
        full(
            limit,
            detail: "The pending changes of all editing contexts together would exceed the limit of \(limit) bytes.",
            hint: "Save or delete some contexts; unused ones end after contextIdleTime. GET /api/contexts lists them."
        )
    }

    fileprivate static func notLoadable(_ name: String, limit: Int) -> Problem {
        full(
            limit,
            detail:
                "The editing context \(name) can't be loaded from its file now, because the contexts in use leave too little of the "
                + "\(limit) bytes for all contexts.",
            hint: "Try again later, or save or delete some contexts. GET /api/contexts lists them."
        )
    }

    private static func full(_ limit: Int, detail: String, hint: String) -> Problem {
        var problem = Problem(.overload, detail, hint: hint)
        problem.extras["limit"] = "contextsMemory"
        problem.fields = [.retryAfter: "60"]
        return problem
    }
}
