// SPDX-License-Identifier: Apache-2.0

// The open editing contexts of a server: opening, finding and ending them.

import AccessRules
import Files
import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import Synchronization

/// All editing contexts of a server.
///
/// 1. A number is allocated once. An allocated number without a context belongs to one that has ended.
/// 2. A context's parent exists as long as the context.
/// 3. A context that isn't used for some time ends, unless a child is used. Each request checks for expired contexts.
/// 4. Either all contexts of a family are in memory, or all are only in their files. Only the holder of `loading`
///    changes that, and only while none of them is held. A request holds the context that it has found in memory.
/// 5. The holder of `loading` waits only for the turns of families that are being loaded or unloaded: a request may
///    wait for `loading` during the turn of its own family.
final class EditingContexts: Sendable {
    /// A context, in memory or not.
    struct Entry {
        let head: ContextHead
        var context: EditingContext?
        /// The answer to the request that opened it, if the request has a key.
        var opening: ContextAnswer?
        /// Its size in memory in bytes; an estimate if it isn't in memory.
        var size = 0
    }

    struct State {
        var entries: [Int: Entry] = [:]
        var last = 0
        /// The contexts being opened.
        var opening: [Int: ContextSettings] = [:]
        /// Why contexts of an earlier process couldn't be loaded.
        var lost: [Int: ContextLoadError] = [:]
        var journal: ContextJournal?
        /// Whether the stores are read-only, so that their drafts are neither loaded nor kept.
        var isReadOnly = false
        /// The coordinator of contexts that are kept in files.
        var coordinator: PersistentStoreCoordinator?
    }

    let state = Mutex(State())
    /// Held while contexts are loaded or unloaded.
    let loading = Mutex(())
    /// Held while a request with a key opens a context, so that repeats don't open another.
    private let opening = Mutex(())
    private let maximum: Int
    let idleTime: Duration
    let memory: ContextMemory

    init(_ options: APIOptions) {
        maximum = options.maximumContexts
        idleTime = options.contextIdleTime
        memory = ContextMemory(limit: options.contextsMemoryLimit)
    }

    /// All contexts, in the order of their opening.
    var all: [ContextHead] {
        endExpired()
        return state.withLock { $0.heads }
    }

    /// The contexts of an earlier run that couldn't be loaded, and the reasons.
    var lost: [(name: String, reason: String)] {
        state.withLock { $0.lost.sorted { $0.key < $1.key } }.map { (ContextHead.name(of: $0), $1.reason) }
    }

    /// A context, loaded if necessary. It is held until the caller releases its head.
    func held(_ name: String, in api: API) throws(Problem) -> EditingContext {
        let (head, context) = try heldHead(name, for: api.access)
        if let context { return context }
        do throws(Problem) {
            return try load(head, in: api)
        } catch {
            head.release()
            throw error
        }
    }

    /// A context's head, and the context if it is in memory. It is held until the caller releases it.
    private func heldHead(_ name: String, for access: Access?) throws(Problem) -> (ContextHead, EditingContext?) {
        endExpired()
        let number = ContextHead.number(of: name)
        let (found, last, loss) = state.withLock { state in
            let found = number.flatMap { state.entries[$0] }.flatMap { $0.head.settings.admits(access) ? $0 : nil }
            found?.head.hold()
            return (found, state.last, number.flatMap { state.lost[$0] })
        }
        if let found { return (found.head, found.context) }
        // Otherwise an identity would learn of the contexts of others.
        if access == nil, let loss { throw .lost(name, because: loss) }
        guard access == nil, let number, number <= last else {
            throw Problem(
                .notFound,
                "There is no editing context “\(name.shortened)”.",
                hint: "POST /api/contexts opens one."
            )
        }
        throw .ended(name)
    }

    /// The name of a context's root, or nil.
    func root(ofContextNamed name: String) -> String? {
        ContextHead.number(of: name).flatMap { number in state.withLock { $0.entries[number] } }?.head.root.name
    }

    /// Opens a context, unless a context opened with the request's key still exists.
    func open(
        _ settings: ContextSettings,
        parent: String?,
        recorder: AnswerRecorder?,
        in api: API
    ) throws -> Reply {
        guard let recorder else { return try open(settings, parent: parent, answering: { _ in nil }, in: api) }
        return try opening.withLock { _ in
            endExpired()
            for answer in state.withLock({ $0.entries.values.compactMap(\.opening) }) {
                if let reply = try answer.reply(to: recorder) { return reply }
            }
            return try open(settings, parent: parent, answering: { try recorder.contextAnswer($0) }, in: api)
        }
    }

    private func open(
        _ settings: ContextSettings,
        parent: String?,
        answering answer: (Reply) throws -> ContextAnswer?,
        in api: API
    ) throws -> Reply {
        endExpired()
        let above = try parent.map { (name) throws(Problem) in try held(name, in: api) }
        defer { above?.head.release() }
        let drafts = try Catalogue(api.coordinator.model, includesTransients: true)
        let number = try state.withLock { state throws(Problem) in
            guard state.entries.count + state.opening.count < maximum else { throw .tooMany(maximum) }
            if let most = api.access?.limits.drafts, state.count(ofOwner: settings.owner) >= most {
                throw .tooManyOfOwner(most)
            }
            state.last += 1
            state.opening[state.last] = settings
            return state.last
        }
        defer { _ = state.withLock { $0.opening.removeValue(forKey: number) } }
        let (journal, isReadOnly) = state.withLock { ($0.journal, $0.isReadOnly) }
        // The folder of read-only stores may be read-only as well; then nothing is kept.
        do throws(FileError) {
            try journal?.write(last: number)
        } catch {
            guard isReadOnly else { throw Problem.unkept(error) }
        }
        let head = ContextHead(
            number: number,
            settings: settings,
            parent: above?.head,
            created: .now,
            now: api.options.now
        )
        let context = try EditingContext(
            head,
            parent: above,
            in: api,
            drafts: drafts,
            journal: isReadOnly ? nil : journal
        )
        do {
            var reply = Reply(.json(try status(of: context)), status: .created)
            reply.fields[.location] = "/api/contexts/\(head.name)"
            let opening = try answer(reply)
            try context.writeOpened(answering: opening)
            state.withLock { $0.entries[number] = Entry(head: head, context: context, opening: opening) }
            return reply
        } catch {
            context.family.remove(context.member)
            memory.set(0, for: number)
            try? journal?.remove(number)
            throw error
        }
    }

    // MARK: Ending

    /// Ends a context. If it couldn't be loaded, its file is removed.
    func end(named name: String, for access: Access?) throws {
        let lost =
            access != nil
            ? nil
            : ContextHead.number(of: name).flatMap { number in
                state.withLock { state in
                    state.isReadOnly || state.lost[number] == nil ? nil : (number, state.journal)
                }
            }
        guard let (number, journal) = lost else {
            let (head, _) = try heldHead(name, for: access)
            defer { head.release() }
            return end(head)
        }
        try journal?.remove(number)
        state.withLock { $0.lost[number] = nil }
    }

    /// Ends a held context and its descendants.
    private func end(_ head: ContextHead) {
        func isUnloaded() -> Bool { state.withLock { $0.entries[head.number].map { $0.context == nil } ?? false } }
        guard isUnloaded() else { return endLoaded(head) }
        let isDone = loading.withLock { _ in
            guard isUnloaded() else { return false }
            let (ended, journal) = remove(head)
            for entry in ended { try? journal?.remove(entry.head.number) }
            countUnloaded()
            return true
        }
        if !isDone { endLoaded(head) }
    }

    private func endLoaded(_ head: ContextHead) {
        let (ended, journal) = remove(head)
        guard let context = ended.last?.context else { return }
        for entry in ended { entry.context?.markEnded() }
        context.family.remove(context.member)
        for entry in ended { memory.set(0, for: entry.head.number) }
        // What it has saved into its parent may be only in its own file.
        if let parent = context.parent, (try? parent.writeIfOutdated()) == nil { return }
        // If a file can't be removed, its context returns after a restart and expires again.
        for entry in ended { try? journal?.remove(entry.head.number) }
    }

    /// Removes a context and its descendants, and returns them, children first.
    private func remove(_ head: ContextHead) -> (ended: [Entry], ContextJournal?) {
        state.withLock { state in
            let ended = state.entries.values.filter { $0.head.isBelow(head) }
                .sorted { $0.head.number > $1.head.number }
            for entry in ended { state.entries[entry.head.number] = nil }
            return (ended, state.journal)
        }
    }

    /// Ends contexts that weren't used for too long, unless a descendant was.
    private func endExpired() {
        let idle = state.withLock { state in
            let idle = state.entries.values.map(\.head).filter { $0.isIdle(after: idleTime) }
            guard !idle.isEmpty else { return idle }
            let used = state.entries.values.map(\.head).filter { !$0.isIdle(after: idleTime) }
            let ending = idle.filter { head in !used.contains { $0.isBelow(head) } }
            for head in ending { head.hold() }
            return ending
        }
        for head in idle { end(head) }
    }

    /// Writes all files that are behind, parents first.
    func writeOutdated() {
        for context in state.withLock({ state in state.heads.compactMap { state.entries[$0.number]?.context } }) {
            try? context.writeIfOutdated()
        }
    }

    /// The children of a context.
    func children(of head: ContextHead) -> [ContextHead] { state.withLock { $0.heads.filter { $0.parent === head } } }
}

extension EditingContexts.State {
    /// The heads of all contexts in the order of their opening, parents first.
    fileprivate var heads: [ContextHead] { entries.values.map(\.head).sorted { $0.number < $1.number } }

    /// The number of contexts that belong to an identity.
    fileprivate func count(ofOwner owner: String?) -> Int {
        entries.values.count { $0.head.settings.owner == owner } + opening.values.count { $0.owner == owner }
    }
}

extension Problem {
    static func ended(_ name: String) -> Problem {
        Problem(
            .gone,
            "The editing context \(name) has ended: it was deleted, or unused for too long.",
            hint: "POST /api/contexts opens a new one."
        )
    }

    static func lost(_ name: String, because loss: ContextLoadError) -> Problem {
        Problem(
            .gone,
            "The editing context \(name) couldn't be loaded: \(loss.reason).",
            hint: "If it has a file, that is kept until the context is deleted; the next start tries to load it again."
        )
    }

    fileprivate static func tooManyOfOwner(_ limit: Int) -> Problem {
        var problem = Problem(
            .rate,
            "The identity's roles permit \(limit) open editing contexts.",
            hint: "DELETE /api/contexts/{c} ends one; unused ones end after contextIdleTime."
        )
        problem.fields = [.retryAfter: "60"]
        return problem
    }

    fileprivate static func tooMany(_ maximum: Int) -> Problem {
        var problem = Problem(
            .overload,
            "The limit of \(maximum) editing contexts is reached.",
            hint: "DELETE /api/contexts/{c} ends one; unused ones end after contextIdleTime."
        )
        problem.fields = [.retryAfter: "60"]
        return problem
    }
}
