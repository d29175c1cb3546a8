// SPDX-License-Identifier: Apache-2.0

// One editing context: a live context with a name, and the API as it is within it.

import Files
import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import Synchronization

/// A draft of any part of the graph, which nobody else sees until it is saved.
final class EditingContext: Sendable {
    let head: ContextHead
    let parent: EditingContext?
    let family: ContextFamily
    let member: ContextFamily.Member
    let api: API
    /// All contexts of the server.
    private weak let contexts: EditingContexts?
    /// Where it is kept for a restart; nil where it isn't.
    private let journal: ContextJournal?
    /// How often it was saved.
    private let saves: Mutex<Int>
    private let answers: Mutex<ContextAnswers>
    private let file = Mutex(ContextFile())
    /// Whether its file lacks what a child has saved into it, or what a merge has made of it.
    private let isFileBehind = Atomic(false)
    /// Whether its file is about to be written for that.
    private let isCatchingUp = Atomic(false)
    let isEnded = Atomic(false)

    init(
        _ head: ContextHead,
        parent: EditingContext?,
        in api: API,
        _ drafts: Catalogue,
        _ journal: ContextJournal?,
        restoring record: ContextRecord? = nil
    ) throws {
        (self.head, self.parent, self.journal) = (head, parent, journal)
        contexts = api.contexts
        let temporaryIDs = record.map { TemporaryIDs(namespace: $0.namespace) } ?? TemporaryIDs()
        family = parent?.family ?? ContextFamily(api.coordinator, temporaryIDs: temporaryIDs)
        member = if let parent { try parent.family.addChild(of: parent.member) } else { family.root }
        let catalogue = Catalogue(drafts, at: "/api/contexts/\(head.name)/")
        self.api = API(api, within: catalogue, family.temporaryIDs)
        let recovered = try record.flatMap { record in
            // A save that was done when the process came to its end is one, although its record says nothing of it.
            parent == nil ? try ContextSave(after: record, in: api.coordinator) : nil
        }
        saves = Mutex((record?.saves ?? 0) + (recovered == nil ? 0 : 1))
        answers = Mutex(record?.answers ?? ContextAnswers())
        do {
            try prepare()
            // What is merged while it is restored is missing in its file.
            if journal != nil { family.followPending(of: member) { [weak self] in self?.fallBehind() } }
            if let record { try restore(record, recovered) }
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
            // One that stays on its base must not forget what it has seen of it.
            context.retainsRegisteredObjects = !settings.automaticallyMergesChanges
            context.mergePolicy = MergePolicy(settings.mergePolicy.policy)
            context.name = settings.name
        }
    }

    /// Makes it what it was when it was written last.
    ///
    /// - Parameter recovered: The save that came after.
    private func restore(_ record: ContextRecord, _ recovered: ContextSave?) throws {
        var permanent = record.permanentURIs
        if let recovered { permanent.merge(recovered.uris) { $1 } }
        family.temporaryIDs.resume(
            after: record.lastTemporary,
            permanent: permanent.compactMapValues(api.coordinator.objectID(forURI:))
        )
        try family.restore(member, recovered == nil ? record.archives : [])
        guard let recovered else { return }
        try add(recovered)
        head.recover()
        isFileBehind.store(true, ordering: .relaxed)
    }

    /// Keeps the answer to a save that was done when the process came to its end.
    private func add(_ save: ContextSave) throws {
        guard let request = save.request else { return }
        let ids = save.uris.sorted { $0.key < $1.key }.compactMap { number, uri in
            family.coordinator.objectID(forURI: uri).map { (number: number, objectID: $0) }
        }
        let answer = KeptAnswer(try api.render(Self.saved(ids, in: api)), fingerprint: request.fingerprint)
        add(ContextAnswer(key: request.key, made: .now, answer: answer))
    }

    // MARK: Use

    /// Runs a closure with the context, which may change what is pending only as `change(_:)` does.
    func perform<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        do {
            return try family.perform(in: member, body)
        } catch {
            // Another request may have ended it while this one waited for its turn.
            throw isEnded.load(ordering: .relaxed) ? Problem.ended(head.name) : error
        }
    }

    /// Runs a closure with the context, unless its request has a key that was answered before: that answer is given then.
    func once(
        _ keeping: AnswerKeeping?,
        _ body: @Sendable (ManagedObjectContext) throws -> Reply
    ) throws -> Reply {
        try perform { [self] context in
            if let keeping, let reply = try answers.withLock(\.self).reply(to: keeping) { return reply }
            return try body(context)
        }
    }

    /// Runs a closure whose changes are one group of undo. Where it throws there are none.
    func change(
        _ keeping: AnswerKeeping? = nil,
        _ body: @Sendable (ManagedObjectContext) throws -> Reply
    ) throws -> Reply {
        try once(keeping) { [self] context in
            try context.asGroup {
                let reply = try body(context)
                try context.processPendingChanges()
                try context.makeRoom()
                try contexts?.take(context.pendingSizeBound, for: head.number)
                try keep(context, answering: keeping?.contextAnswer(reply))
                return reply
            }
        }
    }

    // MARK: The journal

    /// Whether it is kept for a restart.
    var isKept: Bool { journal != nil }

    /// Writes what is pending to where it survives the process.
    ///
    /// - Parameter answer: What is answered to the request that has changed it, if that may come again.
    func keep(_ context: ManagedObjectContext, answering answer: ContextAnswer? = nil) throws {
        let answers = answers.withLock(\.self).adding(answer, byteLimit: api.options.keptAnswerLimit)
        if let journal { try write(context, answers, answer, into: journal) }
        self.answers.withLock { $0 = answers }
        guard !isEnded.load(ordering: .relaxed) else { return }
        contexts?.memory.set(context.pendingSizeBound, for: head.number)
    }

    /// Adds what has changed to its file, or writes that anew.
    private func write(
        _ context: ManagedObjectContext,
        _ answers: ContextAnswers,
        _ answer: ContextAnswer?,
        into journal: ContextJournal
    ) throws {
        if let parent, parent.isFileBehind.load(ordering: .relaxed), let above = try family.parent(of: member) {
            try parent.keep(above)
        }
        do {
            let state = ContextFile.State(saves: saves.withLock(\.self), names: family.temporaryIDs.permanentChanges)
            if !context.isWorthKeeping || file.withLock({ !$0.canGrow(in: state) }) { context.archiveAnew() }
            let archive = context.isWorthKeeping ? try context.archiveNext() : nil
            if let archive, !archive.isWhole {
                let addition = ContextRecord.Addition(
                    lastTemporary: family.temporaryIDs.last,
                    answer: answer,
                    archive: archive
                )
                let count = try journal.add(addition, to: head.number)
                file.withLock { $0.added += count }
            } else {
                let record = record(with: archive, answers, saves: state.saves)
                let count = try journal.write(record)
                file.withLock { $0 = ContextFile(written: count, state: state) }
            }
        } catch {
            context.archiveAnew()
            throw (error as? FileError).map(Problem.unkept) ?? error
        }
        isFileBehind.store(false, ordering: .relaxed)
    }

    private func record(with archive: ContextArchive?, _ answers: ContextAnswers, saves: Int) -> ContextRecord {
        var record = ContextRecord(
            number: head.number,
            settings: head.settings,
            parent: head.parent?.number,
            created: head.created,
            namespace: family.temporaryIDs.namespace
        )
        record.lastTemporary = family.temporaryIDs.last
        record.permanentURIs = family.temporaryIDs.permanentIDs.mapValues(\.uri)
        record.saves = saves
        record.answers = answers
        record.archives = [archive].compactMap(\.self)
        return record
    }

    /// Writes what was saved to where it survives the process, in its parent's file first where it was saved into that.
    func keepSaved(_ context: ManagedObjectContext, answering answer: ContextAnswer?) throws {
        parent?.isFileBehind.store(true, ordering: .relaxed)
        context.forgetPendingSize()
        do {
            try keep(context, answering: answer)
        } catch {
            isFileBehind.store(true, ordering: .relaxed)
            // Where the stores have noted what was saved, a restart knows it without the file.
            guard nextSave(nil) != nil else { throw error }
            if let answer { add(answer) }
        }
    }

    /// Has its file written soon, once for all that others write until then.
    private func fallBehind() {
        isFileBehind.store(true, ordering: .relaxed)
        guard !isCatchingUp.exchange(true, ordering: .relaxed) else { return }
        journal?.soon { [weak self] in
            self?.isCatchingUp.store(false, ordering: .relaxed)
            // What can't be written now is when it is changed next.
            try? self?.catchUp()
        }
    }

    /// Writes its file if it lacks something. That is no use of the context, which others' changes are not to keep from ending.
    func catchUp() throws {
        guard isFileBehind.load(ordering: .relaxed), !isEnded.load(ordering: .relaxed) else { return }
        try family.perform(in: member) { try self.keep($0) }
    }

    /// Keeps the answer to a request that has changed something, whose record is to be written yet.
    func add(_ answer: ContextAnswer) {
        answers.withLock { $0 = $0.adding(answer, byteLimit: api.options.keptAnswerLimit) }
    }

    /// Writes a new context to where it survives the process, with the answer by which it was opened.
    func keepOpened(answering answer: ContextAnswer?) throws {
        answers.withLock { $0.opening = answer }
        try perform { try self.keep($0) }
    }

    /// The next save, as the stores are to note it; nil where they can't, or needn't.
    func nextSave(_ keeping: AnswerKeeping?) -> ContextSave? {
        let stores = family.coordinator.stores
        guard isKept, parent == nil, stores.count == 1, stores[0].keepsNotes, !stores[0].isReadOnly else { return nil }
        let number = saves.withLock(\.self) + 1
        return ContextSave(namespace: family.temporaryIDs.namespace, number: number, answering: keeping)
    }

    func countSave() { saves.withLock { $0 += 1 } }
}

/// What is known of the file that a context is kept in.
private struct ContextFile {
    /// What is told when it is written as a whole, and not by additions.
    struct State: Equatable {
        var saves = 0
        /// Counts the changes of the names that became permanent.
        var names = 0
    }

    /// How many bytes it had when it was written as a whole, and how many were added since.
    var written = 0
    var added = 0
    var state = State()

    init() {}

    init(written: Int, state: State) { (self.written, self.state) = (written, state) }

    /// Whether more can be added: it grows to its double, or to what takes no longer to write.
    func canGrow(in state: State) -> Bool { state == self.state && added < max(written, 64 << 10) }
}

extension ManagedObjectContext {
    /// Whether anything is pending, or can be undone or redone.
    fileprivate var isWorthKeeping: Bool {
        hasChanges || undoManager.map { $0.canUndo || $0.canRedo } ?? false
    }
}

extension Problem {
    static func unkept(_ error: FileError) -> Problem {
        var problem =
            error.code == .full
            ? Problem(.diskFull, "The disk is full on which editing contexts are kept.")
            : Problem(.internal, "The editing context can't be kept.")
        problem.reason = error.description
        return problem
    }
}
