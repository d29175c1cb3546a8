// SPDX-License-Identifier: Apache-2.0

// The editing contexts that there are: opening them, finding them, and their end.

import Files
import HTTPMessage
import JSON
import ObjectGraph
import Synchronization

/// All editing contexts of a server.
///
/// 1. Numbers are given once. One that was given and has no context any more names one that has ended.
/// 2. A context's parent is there as long as itself.
/// 3. One that nobody has used for a time ends, unless a child is used. That is looked after whenever somebody comes.
final class EditingContexts: Sendable {
    private struct State {
        var contexts: [Int: EditingContext] = [:]
        var last = 0
        /// Those that are about to be there.
        var opening = 0
        /// Why contexts of an earlier process couldn't be taken up.
        var lost: [Int: ContextLoss] = [:]
        var journal: ContextJournal?
        /// Whether the stores are only read, so that no draft of them is taken up or kept.
        var isReadOnly = false
    }

    private let state = Mutex(State())
    /// Held while one is opened by a request that may come again, so that it opens one only.
    private let opening = Mutex(())
    private let maximum: Int
    let idleTime: Duration
    let memory: ContextMemory

    init(_ options: APIOptions) {
        (maximum, idleTime) = (options.maximumContexts, options.contextIdleTime)
        memory = ContextMemory(limit: options.contextsMemoryLimit)
    }

    /// All of them, in the order in which they were opened.
    var all: [EditingContext] {
        endIdle()
        return state.withLock { $0.contexts.values.sorted { $0.number < $1.number } }
    }

    /// Those of an earlier run that couldn't be taken up, and why not.
    var lost: [(name: String, reason: String)] {
        state.withLock { $0.lost.sorted { $0.key < $1.key } }.map { (EditingContext.name(of: $0), $1.reason) }
    }

    func context(named name: String) throws(Problem) -> EditingContext {
        endIdle()
        let number = EditingContext.number(of: name)
        let (found, last, loss) = state.withLock { state in
            (number.flatMap { state.contexts[$0] }, state.last, number.flatMap { state.lost[$0] })
        }
        if let found { return found }
        if let loss { throw .lost(name, loss) }
        guard let number, number <= last else {
            throw Problem(
                .notFound,
                "There is no editing context “\(name.shortened)”.",
                hint: "POST /api/contexts opens one."
            )
        }
        throw .ended(name)
    }

    /// The context at the top of the one with a name; nil where there is none.
    func root(ofContextNamed name: String) -> EditingContext? {
        EditingContext.number(of: name).flatMap { number in state.withLock { $0.contexts[number] } }?.root
    }

    /// Opens a context, unless the request has a key by which one was opened before that is still there.
    func open(
        _ settings: ContextSettings,
        parent: String?,
        _ keeping: AnswerKeeping?,
        in api: API
    ) throws -> Reply {
        guard let keeping else { return try open(settings, parent: parent, answering: { _ in nil }, in: api) }
        return try opening.withLock { _ in
            for context in all {
                if let reply = try context.opening(by: keeping) { return reply }
            }
            return try open(settings, parent: parent, answering: { try keeping.contextAnswer($0) }, in: api)
        }
    }

    private func open(
        _ settings: ContextSettings,
        parent: String?,
        answering answer: (Reply) throws -> ContextAnswer?,
        in api: API
    ) throws -> Reply {
        endIdle()
        let above = try parent.map { (name) throws(Problem) in try self.context(named: name) }
        let drafts = try Catalogue(api.coordinator.model, showsTransients: true)
        let number = try state.withLock { state throws(Problem) in
            guard state.contexts.count + state.opening < maximum else { throw .tooMany(maximum) }
            (state.last, state.opening) = (state.last + 1, state.opening + 1)
            return state.last
        }
        defer { state.withLock { $0.opening -= 1 } }
        let (journal, isReadOnly) = state.withLock { ($0.journal, $0.isReadOnly) }
        // The folder of stores that are only read may be such as well, and then nothing is kept.
        do throws(FileError) {
            try journal?.note(last: number)
        } catch {
            guard isReadOnly else { throw Problem.unkept(error) }
        }
        let context = try EditingContext(
            number: number,
            settings,
            parent: above,
            in: api,
            drafts,
            isReadOnly ? nil : journal
        )
        do {
            var reply = Reply(.json(try status(of: context)), status: .created)
            reply.fields[.location] = "/api/contexts/\(context.name)"
            try context.keepOpened(answering: answer(reply))
            state.withLock { $0.contexts[number] = context }
            return reply
        } catch {
            context.family.remove(context.member)
            memory.set(0, for: number)
            try? journal?.remove(number)
            throw error
        }
    }

    /// Keeps contexts in a folder from now on, and takes up those that an earlier process has left there, unless all stores are only
    /// read.
    ///
    /// - Returns: Those that can't be taken up, and why. They stay in the folder until they are ended.
    func keep(in folder: String, of api: API) throws -> [(name: String, reason: String)] {
        let stores = api.coordinator.stores
        let isReadOnly = !stores.isEmpty && stores.allSatisfy(\.isReadOnly)
        guard !isReadOnly || FileSystem.exists(folder) else { return [] }
        let journal = try ContextJournal(folder: folder)
        let drafts = try Catalogue(api.coordinator.model, showsTransients: true)
        let (records, last) = journal.read()
        state.withLock { ($0.journal, $0.isReadOnly, $0.last) = (journal, isReadOnly, last) }
        for (number, result) in records.sorted(by: { $0.key < $1.key }) {
            do {
                if isReadOnly { throw ContextLoss("the server only reads its stores") }
                let record = try result.get()
                let context = try take(record, journal, drafts, in: api)
                state.withLock { $0.contexts[number] = context }
            } catch {
                let loss = error as? ContextLoss ?? ContextLoss(of: error)
                state.withLock { $0.lost[number] = loss }
            }
        }
        return lost
    }

    private func take(
        _ record: ContextRecord,
        _ journal: ContextJournal,
        _ drafts: Catalogue,
        in api: API
    ) throws -> EditingContext {
        let parent = record.parent.flatMap { number in state.withLock { $0.contexts[number] } }
        if let number = record.parent, parent == nil {
            throw ContextLoss("its parent \(EditingContext.name(of: number)) couldn't be taken up")
        }
        let context = try EditingContext(
            number: record.number,
            record.settings,
            parent: parent,
            in: api,
            drafts,
            journal,
            restoring: record
        )
        // A file that can't be written anew is merely older: another start makes the same of it.
        try? context.perform { try context.keep($0) }
        return context
    }

    /// Ends a context. One that couldn't be taken up is given up for good.
    func end(named name: String) throws {
        let lost = EditingContext.number(of: name).flatMap { number in
            state.withLock { state in
                state.isReadOnly || state.lost[number] == nil ? nil : (number, state.journal)
            }
        }
        guard let (number, journal) = lost else { return end(try context(named: name)) }
        try journal?.remove(number)
        state.withLock { $0.lost[number] = nil }
    }

    /// Ends a context and those below it.
    func end(_ context: EditingContext) {
        let (ended, journal) = state.withLock { state in
            let ended = state.contexts.values.filter { $0.isBelow(context) }
            for context in ended { state.contexts[context.number] = nil }
            return (ended, state.journal)
        }
        guard !ended.isEmpty else { return }
        for context in ended {
            context.isEnded.store(true, ordering: .relaxed)
            memory.set(0, for: context.number)
        }
        context.family.remove(context.member)
        // What it has saved into its parent may be in its own file alone.
        if let parent = context.parent, (try? parent.catchUp()) == nil { return }
        // One whose file stays comes back with the next start, and ends again when nobody uses it.
        for context in ended.sorted(by: { $0.number > $1.number }) { try? journal?.remove(context.number) }
    }

    /// Writes the files that lack something, those of parents first.
    func catchUp() {
        for context in state.withLock({ $0.contexts.values.sorted { $0.number < $1.number } }) {
            try? context.catchUp()
        }
    }

    /// Ends those that nobody has used for too long, which no child of theirs was either.
    private func endIdle() {
        let idle = state.withLock { $0.contexts.values.filter { $0.isIdle(after: idleTime) } }
        for context in idle where all(below: context).allSatisfy({ $0.isIdle(after: idleTime) }) {
            end(context)
        }
    }

    func all(below context: EditingContext) -> [EditingContext] {
        state.withLock { $0.contexts.values.filter { $0.isBelow(context) && $0 !== context } }
            .sorted { $0.number < $1.number }
    }
}

extension EditingContext {
    /// Whether it is another one, or descends from it.
    fileprivate func isBelow(_ other: EditingContext) -> Bool { self === other || parent?.isBelow(other) == true }
}

extension Problem {
    static func ended(_ name: String) -> Problem {
        Problem(
            .gone,
            "The editing context \(name) has ended: it was deleted, or nobody has used it for too long.",
            hint: "POST /api/contexts opens another."
        )
    }

    fileprivate static func lost(_ name: String, _ loss: ContextLoss) -> Problem {
        Problem(
            .gone,
            "The editing context \(name) couldn't be taken up after a restart: \(loss.reason).",
            hint: "Its file stays until the context is deleted, and is tried again by the next start."
        )
    }

    fileprivate static func tooMany(_ maximum: Int) -> Problem {
        var problem = Problem(
            .overload,
            "There are \(maximum) editing contexts, and may be no more.",
            hint: "DELETE /api/contexts/{c} ends one; those that nobody uses end by themselves."
        )
        problem.fields = [.retryAfter: "60"]
        return problem
    }
}
