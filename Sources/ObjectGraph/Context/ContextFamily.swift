// SPDX-License-Identifier: Apache-2.0

// A context that lives long, its children, and theirs: drafts, and drafts of drafts.

import Synchronization

/// A live context with children that live on, used by whatever thread, by one at a time.
///
///     let family = ContextFamily(coordinator)
///     let child = family.addChild(of: family.root)
///     try family.perform(in: child) { context in try context.insert("Post") }
///     try family.perform(in: child) { try $0.save() }         // pending in the root
///     try family.perform(in: family.root) { try $0.save() }   // stored
///
/// 1. One closure at a time is at work in all of its contexts.
/// 2. What others save is merged into the root at once, unless a closure is at work: then behind it.
/// 3. What a context's parent shows otherwise than before, be it merged, edited, undone, or saved there by another child, is merged
///    into the context as if it had been saved by others, before the next closure begins. Contexts that don't merge by themselves
///    are left out; those who watch them are told nevertheless.
/// 4. An ID that became permanent is so in all contexts, whether they merge or not.
public final class ContextFamily: Sendable {
    /// One of the contexts.
    public struct Member: Hashable, Sendable {
        let number: Int
    }

    final class Kin {
        let context: ManagedObjectContext
        let parent: Member?
        /// What the context's parent tells it by; nil for the root.
        let source: ParentSource?
        /// Whether what is beneath the context is merged into it, as it was when contexts were counted last.
        var merges = true
        var children: [Member] = []
        var watchers: [Int: @Sendable (MergeNotice) -> Void] = [:]
        /// Who is told of merges that made something else of what is pending.
        var keeper: (@Sendable () -> Void)?

        init(_ context: ManagedObjectContext, parent: Member? = nil, source: ParentSource? = nil) {
            (self.context, self.parent, self.source) = (context, parent, source)
        }
    }

    struct State {
        var kin: [Member: Kin] = [:]
        var lastNumber = 0
        var lastWatcher = 0
    }

    public let root = Member(number: 0)
    public let coordinator: PersistentStoreCoordinator
    public let temporaryIDs: TemporaryIDs
    let inbox = ContextInbox()
    private let turn = Mutex<Void>(())
    /// Used by whoever has the turn alone, so that the contexts in it are confined.
    nonisolated(unsafe) var state = State()

    public init(_ coordinator: PersistentStoreCoordinator, temporaryIDs: TemporaryIDs = TemporaryIDs()) {
        (self.coordinator, self.temporaryIDs) = (coordinator, temporaryIDs)
        let context = ManagedObjectContext(coordinator, inbox: inbox)
        context.temporaryIDs = temporaryIDs
        unsafe state.kin[root] = Kin(context)
        inbox.notify { [weak self] in self?.takeIn() }
    }

    deinit {
        for kin in unsafe state.kin.values { kin.context.end() }
    }

    /// Runs a closure with one of the contexts. What others have saved is merged before; an error if the context has come to its end.
    public func perform<Result: Sendable>(
        in member: Member,
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        defer { if !inbox.isEmpty { takeIn() } }
        return try turn.withLock { _ in
            // What is merged is not bound by the limits of whoever happens to come next.
            try WorkLimits.lifted { try mergeArrivals() }
            return try enter(member, body)
        }
    }

    /// The parent of one of the contexts, for a closure that is at work in that one, which has the parent's turn as well; nil for
    /// the root.
    public func parent(of member: Member) throws(GraphError) -> ManagedObjectContext? {
        try kin(member).parent.map { (parent) throws(GraphError) in try kin(parent).context }
    }

    /// Makes a context what it was when it was archived, maybe by another process; its parent must be so already. One that doesn't
    /// merge by itself goes on from what it knew.
    ///
    /// - Parameter archives: A whole one and those that follow it; none for a context in which nothing was pending. Temporary IDs that
    ///   became permanent are known in it anyway.
    public func restore(_ member: Member, _ archives: [ContextArchive]) throws {
        // What it takes is not bound by the limits of the request that needs the context first.
        try WorkLimits.lifted { try turn.withLock { _ in try restoreInTurn(member, archives) } }
    }

    private func restoreInTurn(_ member: Member, _ archives: [ContextArchive]) throws {
        let kin = try kin(member)
        try entered(kin) { context in
            let renamed = temporaryIDs.permanentIDs.map {
                (temporaryIDs.temporaryID(numbered: $0, as: $1.entity), $1)
            }
            let permanentIDs = Dictionary(uniqueKeysWithValues: renamed)
            if archives.isEmpty {
                context.adopt(permanentIDs: permanentIDs)
            } else {
                let merges = context.automaticallyMergesChanges
                try context.restore(archives, mergingSavedChanges: merges, permanentIDs)
            }
            temporaryIDs.resume(given: context.temporaryObjectIDs)
        }
    }

    /// Makes a child of one of the contexts.
    public func addChild(of parent: Member) throws(GraphError) -> Member {
        try turn.withLock { _ throws(GraphError) in
            let above = try kin(parent)
            unsafe state.lastNumber += 1
            let member = unsafe Member(number: state.lastNumber)
            let source = ParentSource(parent: above.context)
            let context = ManagedObjectContext(model: coordinator.model, source: source)
            context.temporaryIDs = temporaryIDs
            above.children.append(member)
            unsafe state.kin[member] = Kin(context, parent: parent, source: source)
            countContexts()
            return member
        }
    }

    /// Ends a context and those below it; what is pending there is gone.
    public func remove(_ member: Member) {
        turn.withLock { _ in
            guard let leaving = unsafe state.kin[member] else { return }
            if let parent = leaving.parent { unsafe state.kin[parent]?.children.removeAll { $0 == member } }
            for member in line(from: member).reversed() { unsafe state.kin.removeValue(forKey: member)?.context.end() }
            countContexts()
        }
    }

    /// Calls a closure with whatever others did that reaches a context, until the watch is ended. It is called in the turn of the
    /// family, and may not wait.
    public func watch(_ member: Member, _ watcher: @escaping @Sendable (MergeNotice) -> Void) throws(GraphError) -> Int
    {
        try turn.withLock { _ throws(GraphError) in
            let kin = try kin(member)
            unsafe state.lastWatcher += 1
            kin.watchers[unsafe state.lastWatcher] = watcher
            return unsafe state.lastWatcher
        }
    }

    /// Has a closure called whenever a merge has made something else of what is pending in a context, or given it something else to go
    /// out from. It is called in the turn of the family, and may not wait.
    public func followPending(of member: Member, _ keeper: @escaping @Sendable () -> Void) {
        turn.withLock { _ in unsafe state.kin[member]?.keeper = keeper }
    }

    public func endWatch(_ watch: Int, of member: Member) {
        turn.withLock { _ in unsafe state.kin[member]?.watchers[watch] = nil }
    }

    /// Merges what others have saved, unless somebody has the turn, who does it then.
    func takeIn() {
        while !inbox.isEmpty {
            // What can't be merged is met again by the next closure, which can tell.
            let isDone = turn.withLockIfAvailable { _ in (try? mergeArrivals()) != nil }
            guard isDone == true else { return }
        }
    }

    // MARK: Within a turn

    func kin(_ member: Member) throws(GraphError) -> Kin {
        if let kin = unsafe state.kin[member] { return kin }
        throw GraphError(.invalidRequest, "The context has come to its end.")
    }

    /// A context and all below it, each before its children.
    func line(from member: Member) -> [Member] {
        [member] + (unsafe state.kin[member]?.children ?? []).flatMap(line)
    }

    /// Enters a context, and those above it, which it asks for what it doesn't have.
    func entered<Result>(_ kin: Kin, _ body: (ManagedObjectContext) throws -> Result) throws -> Result {
        let moves = kin.context.pendingMoves
        defer { if kin.context.pendingMoves != moves { kin.keeper?() } }
        guard let parent = kin.parent else { return try kin.context.entered(body) }
        return try enteredPlainly(try self.kin(parent)) { try kin.context.entered(body) }
    }

    /// The same without having the context process its changes.
    func enteredPlainly<Result>(_ kin: Kin, _ body: () throws -> Result) throws -> Result {
        guard let parent = kin.parent else { return try kin.context.confinement.entered(body) }
        return try enteredPlainly(try self.kin(parent)) { try kin.context.confinement.entered(body) }
    }

    /// Runs a closure that looks at any of the contexts, all of which have the turn.
    func enteredByAll<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Confinement.entered(unsafe state.kin.values.map(\.context.confinement), body)
    }

    /// Counts those that others' changes are merged into.
    func countContexts() {
        func count(_ member: Member) -> Int {
            guard let kin = unsafe state.kin[member] else { return 0 }
            kin.merges = kin.context.automaticallyMergesChanges
            return kin.merges ? kin.children.reduce(1) { $0 + count($1) } : 0
        }
        inbox.contextCount = count(root)
    }
}
