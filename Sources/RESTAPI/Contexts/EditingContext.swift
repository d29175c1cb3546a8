// SPDX-License-Identifier: Apache-2.0

// An editing context: a live context with a name, and its own API.

import Files
import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import Synchronization

/// A draft of any part of the graph, which other clients see only after a save.
final class EditingContext: Sendable {
    let head: ContextHead
    let parent: EditingContext?
    let family: ContextFamily
    let member: ContextFamily.Member
    let api: API
    /// The live queries of all contexts of the family.
    let liveQueries: LiveQueries
    /// All contexts of the server.
    private weak let contexts: EditingContexts?
    /// Keeps the context across restarts, or nil.
    private let journal: ContextJournal?
    /// The number of saves.
    private let saves: Mutex<Int>
    private let answers: Mutex<ContextAnswers>
    private let file = Mutex(ContextFile())
    /// Whether its file lacks what a child has saved into it or what was merged.
    private let isFileOutdated = Atomic(false)
    /// Whether a write is scheduled for that.
    private let isWriteScheduled = Atomic(false)
    let isEnded = Atomic(false)

    init(
        _ head: ContextHead,
        parent: EditingContext?,
        in api: API,
        drafts: Catalogue,
        journal: ContextJournal?,
        restoring record: ContextRecord? = nil
    ) throws {
        self.head = head
        self.parent = parent
        self.journal = journal
        contexts = api.contexts
        liveQueries = parent?.liveQueries ?? LiveQueries()
        let temporaryIDs = record.map { TemporaryIDs(namespace: $0.namespace) } ?? TemporaryIDs()
        family = parent?.family ?? ContextFamily(api.coordinator, temporaryIDs: temporaryIDs)
        member = if let parent { try parent.family.addChild(of: parent.member) } else { family.root }
        let catalogue = Catalogue(drafts, at: "/api/contexts/\(head.name)/")
        self.api = API(api, within: catalogue, temporaryIDs: family.temporaryIDs)
        let recovered = try record.flatMap { record in
            // A save may have been committed just before the process ended, so that the record lacks it.
            parent == nil ? try ContextSaveNote(after: record, in: api.coordinator) : nil
        }
        saves = Mutex((record?.saves ?? 0) + (recovered == nil ? 0 : 1))
        answers = Mutex(record?.answers ?? ContextAnswers())
        do {
            try prepare()
            // Merges during the restoration aren't in the file either.
            if journal != nil { family.observePending(of: member) { [weak self] in self?.scheduleWrite() } }
            if let record { try restore(record, recovered: recovered) }
        } catch {
            family.remove(member)
            throw error
        }
    }

    private func prepare() throws {
        try family.perform(in: member) { [api, settings = head.settings] context in
            context.undoManager = ObjectUndoManager()
            context.memoryLimit = api.options.contextMemoryLimit
            context.mergesKeepBase = !settings.automaticallyMergesChanges
            context.automaticallyMergesChanges = settings.automaticallyMergesChanges
            // A context that keeps its base must not release the objects that it has read.
            context.retainsRegisteredObjects = !settings.automaticallyMergesChanges
            context.mergePolicy = MergePolicy(settings.mergePolicy.policy)
            context.name = settings.name
        }
    }

    /// Restores the state that was last written.
    ///
    /// - Parameter recovered: A later save, found in the stores.
    private func restore(_ record: ContextRecord, recovered: ContextSaveNote?) throws {
        var permanent = record.permanentURIs
        if let recovered { permanent.merge(recovered.uris) { $1 } }
        family.temporaryIDs.resume(
            after: record.lastTemporaryNumber,
            permanent: permanent.compactMapValues(api.coordinator.objectID(forURI:))
        )
        try family.restore(member, from: recovered == nil ? record.archives : [])
        guard let recovered else { return }
        try add(recovered)
        head.recover()
        isFileOutdated.store(true, ordering: .relaxed)
    }

    /// Stores the answer to a recovered save.
    private func add(_ save: ContextSaveNote) throws {
        guard let request = save.request else { return }
        let ids = save.uris.sorted { $0.key < $1.key }.compactMap { number, uri in
            family.coordinator.objectID(forURI: uri).map { (number: number, objectID: $0) }
        }
        let answer = StoredAnswer(try api.render(Self.saved(ids, in: api)), fingerprint: request.fingerprint)
        add(ContextAnswer(key: request.key, made: .now, answer: answer))
    }

    /// Requests fail from now on, and live queries end.
    func markEnded() {
        isEnded.store(true, ordering: .relaxed)
        liveQueries.end(api.catalogue)
    }

    // MARK: Use

    /// Runs a closure with the context. Only `change`, `step` and `save` may change what is pending.
    func perform<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        do {
            return try family.perform(in: member, body)
        } catch {
            // Another request may have ended the context meanwhile.
            throw isEnded.load(ordering: .relaxed) ? Problem.ended(head.name) : error
        }
    }

    /// Runs a closure with the context, unless the request's key has an answer, which is then returned.
    func once(
        _ recorder: AnswerRecorder?,
        _ body: @Sendable (ManagedObjectContext) throws -> Reply
    ) throws -> Reply {
        // A save also changes the parent.
        defer { liveQueries.invalidate() }
        return try perform { [self] context in
            if let recorder, let reply = try answers.withLock(\.self).reply(to: recorder) { return reply }
            return try body(context)
        }
    }

    /// Runs a closure as one undo group. If it throws, its changes are reverted.
    func change(
        _ recorder: AnswerRecorder? = nil,
        _ body: @Sendable (ManagedObjectContext) throws -> Reply
    ) throws -> Reply {
        try once(recorder) { [self] context in
            try context.withUndoGroup {
                let reply = try body(context)
                try context.processPendingChanges()
                try context.trimToMemoryLimit()
                try contexts?.reserve(context.pendingSizeBound, for: head.number)
                try keep(context, answering: recorder?.contextAnswer(reply))
                return reply
            }
        }
    }

    // MARK: Journal

    /// Whether it survives a restart.
    var isKept: Bool { journal != nil }

    /// Writes pending changes to the journal.
    ///
    /// - Parameter answer: The answer to the request that changed them, if it has a key.
    func keep(_ context: ManagedObjectContext, answering answer: ContextAnswer? = nil) throws {
        let answers = answers.withLock(\.self).adding(answer, byteLimit: api.options.keptAnswerLimit)
        if let journal { try write(context, answers: answers, adding: answer, into: journal) }
        self.answers.withLock { $0 = answers }
        guard !isEnded.load(ordering: .relaxed) else { return }
        contexts?.memory.set(context.pendingSizeBound, for: head.number)
    }

    /// Appends what has changed to its file, or rewrites the file.
    private func write(
        _ context: ManagedObjectContext,
        answers: ContextAnswers,
        adding answer: ContextAnswer?,
        into journal: ContextJournal
    ) throws {
        if let parent, parent.isFileOutdated.load(ordering: .relaxed), let above = try family.parent(of: member) {
            try parent.keep(above)
        }
        do {
            let state = ContextFile.State(saves: saves.withLock(\.self), names: family.temporaryIDs.permanentChanges)
            if !context.hasStateToWrite || file.withLock({ !$0.canGrow(in: state) }) { context.invalidateArchive() }
            let archive = context.hasStateToWrite ? try context.archiveNext() : nil
            if let archive, !archive.isWhole {
                let addition = ContextRecord.Addition(
                    lastTemporaryNumber: family.temporaryIDs.last,
                    answer: answer,
                    archive: archive
                )
                let count = try journal.add(addition, to: head.number)
                file.withLock { $0.added += count }
            } else {
                let record = record(with: archive, answers: answers, saves: state.saves)
                let count = try journal.write(record)
                file.withLock { $0 = ContextFile(written: count, state: state) }
            }
        } catch {
            context.invalidateArchive()
            // The file may have what is about to be reverted.
            isFileOutdated.store(true, ordering: .relaxed)
            throw (error as? FileError).map(Problem.unkept) ?? error
        }
        isFileOutdated.store(false, ordering: .relaxed)
    }

    /// Its present state, to be continued by another API. The file is written if there is one.
    func suspended() throws -> ContextRecord {
        try writeIfOutdated()
        return try family.perform(in: member) { [self] context in
            let archive = context.hasStateToWrite ? try context.archive() : nil
            return record(with: archive, answers: answers.withLock(\.self), saves: saves.withLock(\.self))
        }
    }

    private func record(with archive: ContextArchive?, answers: ContextAnswers, saves: Int) -> ContextRecord {
        var record = ContextRecord(
            number: head.number,
            settings: head.settings,
            parent: head.parent?.number,
            created: head.created,
            namespace: family.temporaryIDs.namespace
        )
        record.lastTemporaryNumber = family.temporaryIDs.last
        record.permanentURIs = family.temporaryIDs.permanentIDs.mapValues(\.uri)
        record.saves = saves
        record.answers = answers
        record.archives = [archive].compactMap(\.self)
        return record
    }

    /// Writes the state after a save to the journal, the parent's file first if the save was into the parent.
    func writeSaved(_ context: ManagedObjectContext, answering answer: ContextAnswer?) throws {
        parent?.isFileOutdated.store(true, ordering: .relaxed)
        context.invalidatePendingSize()
        do {
            try keep(context, answering: answer)
        } catch {
            isFileOutdated.store(true, ordering: .relaxed)
            // If the stores have a note of the save, it is known after a restart even without the file.
            guard nextSave(nil) != nil else { throw error }
            if let answer { add(answer) }
        }
    }

    /// Schedules a write of its file, which covers all merges until then.
    private func scheduleWrite() {
        isFileOutdated.store(true, ordering: .relaxed)
        guard !isWriteScheduled.exchange(true, ordering: .relaxed) else { return }
        journal?.schedule { [weak self] in
            self?.isWriteScheduled.store(false, ordering: .relaxed)
            // If this fails, the next change writes the file.
            try? self?.writeIfOutdated()
        }
    }

    /// Writes its file if it is behind. This doesn't count as use: other writers' changes must not keep a
    /// context from expiring.
    func writeIfOutdated() throws {
        guard isFileOutdated.load(ordering: .relaxed), !isEnded.load(ordering: .relaxed) else { return }
        try family.perform(in: member) { try self.keep($0) }
    }

    /// Stores the answer to a request before its changes are in the file.
    func add(_ answer: ContextAnswer) {
        answers.withLock { $0 = $0.adding(answer, byteLimit: api.options.keptAnswerLimit) }
    }

    /// Writes a new context to the journal, with the answer to the request that opened it.
    func writeOpened(answering answer: ContextAnswer?) throws {
        answers.withLock { $0.opening = answer }
        try perform { try self.keep($0) }
    }

    /// The next save for a note in the stores, or nil if the stores can't keep one or it isn't needed.
    func nextSave(_ recorder: AnswerRecorder?) -> ContextSaveNote? {
        let stores = family.coordinator.stores
        guard isKept, parent == nil, stores.count == 1, stores[0].keepsNotes, !stores[0].isReadOnly else { return nil }
        let number = saves.withLock(\.self) + 1
        return ContextSaveNote(namespace: family.temporaryIDs.namespace, number: number, answering: recorder)
    }

    func countSave() { saves.withLock { $0 += 1 } }
}

/// The state of a context's file.
private struct ContextFile {
    /// What only a complete rewrite records.
    struct State: Equatable {
        var saves = 0
        /// Incremented when temporary names become permanent.
        var names = 0
    }

    /// The size of the file when it was last rewritten, and the number of bytes appended since.
    var written = 0
    var added = 0
    var state = State()

    init() {}

    init(written: Int, state: State) {
        self.written = written
        self.state = state
    }

    /// Whether it may grow further: up to twice its size, or to a size that is fast to write.
    func canGrow(in state: State) -> Bool { state == self.state && added < max(written, 64 << 10) }
}

extension ManagedObjectContext {
    /// Whether it has pending changes, or undo or redo steps.
    fileprivate var hasStateToWrite: Bool {
        hasChanges || undoManager.map { $0.canUndo || $0.canRedo } ?? false
    }
}

extension Problem {
    static func unkept(_ error: FileError) -> Problem {
        var problem =
            error.code == .full
            ? Problem(.diskFull, "The disk with the folder of editing contexts is full.")
            : Problem(.internal, "The editing context can't be written to its file.")
        problem.reason = error.description
        return problem
    }
}
