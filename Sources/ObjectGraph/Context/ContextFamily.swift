// SPDX-License-Identifier: Apache-2.0

// A long-lived context with its children and their children: drafts, and drafts of drafts.

import Synchronization

/// A live context with long-lived children, used from any thread, one closure at a time.
///
///     let family = ContextFamily(coordinator)
///     let child = family.addChild(of: family.root)
///     try family.perform(in: child) { context in try context.insert("Post") }
///     try family.perform(in: child) { try $0.save() }         // pending in the root
///     try family.perform(in: family.root) { try $0.save() }   // stored
///
/// 1. One closure at a time runs in all of its contexts.
/// 2. What others save is merged into the root at once, or after the closure that is running.
/// 3. Whatever changes in a context's parent, by a merge, an edit, undo, or a save of another child, is merged into the
///    context like a save of others, before the next closure begins. Contexts that don't merge automatically are
///    skipped; their watchers are notified nevertheless.
/// 4. An ID that became permanent is permanent in all contexts, whether they merge or not.
public final class ContextFamily: Sendable {
    /// One of the contexts.
    public struct Member: Hashable, Sendable {
        let number: Int
    }

    final class MemberNode {
        let context: ManagedObjectContext
        let parent: Member?
        /// The context's connection to its parent, or nil for the root.
        let source: ParentSource?
        /// Whether the context merged changes automatically, as of the last count.
        var merges = true
        var children: [Member] = []
        var watchers: [Int: @Sendable (MergeNotice) -> Void] = [:]
        /// Called after merges that changed what is pending.
        var pendingObserver: (@Sendable () -> Void)?

        init(_ context: ManagedObjectContext, parent: Member? = nil, source: ParentSource? = nil) {
            self.context = context
            self.parent = parent
            self.source = source
        }
    }

    struct State {
        var memberNodes: [Member: MemberNode] = [:]
        var lastNumber = 0
        var lastWatcher = 0
    }

    public let root = Member(number: 0)
    public let coordinator: PersistentStoreCoordinator
    public let temporaryIDs: TemporaryIDs
    let inbox = ContextInbox()
    private let turn = Mutex<Void>(())
    /// Accessed only in the family's turn, so the contexts in it are confined.
    nonisolated(unsafe) var state = State()

    public init(_ coordinator: PersistentStoreCoordinator, temporaryIDs: TemporaryIDs = TemporaryIDs()) {
        self.coordinator = coordinator
        self.temporaryIDs = temporaryIDs
        let context = ManagedObjectContext(coordinator, inbox: inbox)
        context.temporaryIDs = temporaryIDs
        unsafe state.memberNodes[root] = MemberNode(context)
        inbox.onArrival { [weak self] in self?.mergeInbox() }
    }

    deinit {
        for memberNode in unsafe state.memberNodes.values { memberNode.context.end() }
    }

    /// Runs a closure with one of the contexts, after merging what others have saved. Throws if the context has ended.
    public func perform<Result: Sendable>(
        in member: Member,
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        coordinator.noticeOtherWriters()
        return try withTurn {
            // Merging isn't subject to the limits of the request that happens to come next.
            try WorkLimits.withoutLimits { try mergeInboxIntoTree() }
            return try performAndPropagate(in: member, body)
        }
    }

    /// The parent of a context, or nil for the root. Called within a closure that runs in the context, which has the
    /// parent's turn as well.
    public func parent(of member: Member) throws(GraphError) -> ManagedObjectContext? {
        try memberNode(member).parent.map { (parent) throws(GraphError) in try memberNode(parent).context }
    }

    /// Restores a context from its archives, perhaps of another process; its parent must be restored already. A context
    /// that doesn't merge automatically continues from the state that it knew.
    ///
    /// - Parameter archives: A whole archive and those that follow it; empty for a context without pending changes.
    ///   Temporary IDs that became permanent are known to it anyway.
    public func restore(_ member: Member, from archives: [ContextArchive]) throws {
        // Restoring isn't subject to the limits of the request that needs the context first.
        try WorkLimits.withoutLimits { try withTurn { try restoreInTurn(member, from: archives) } }
    }

    private func restoreInTurn(_ member: Member, from archives: [ContextArchive]) throws {
        let memberNode = try memberNode(member)
        try enter(memberNode) { context in
            let renamed = temporaryIDs.permanentIDs.map {
                (temporaryIDs.temporaryID(numbered: $0, as: $1.entity), $1)
            }
            let permanentIDs = Dictionary(uniqueKeysWithValues: renamed)
            if archives.isEmpty {
                context.adopt(permanentIDs: permanentIDs)
            } else {
                // Rows of an earlier version of the model lack what its migration has written.
                let isPresent = try archives.allSatisfy(context.model.describes)
                let merges = context.automaticallyMergesChanges || !isPresent
                try context.restore(archives, mergingSavedChanges: merges, permanentIDs: permanentIDs)
            }
            temporaryIDs.resume(given: context.temporaryObjectIDs)
        }
    }

    /// Adds a child to one of the contexts.
    public func addChild(of parent: Member) throws(GraphError) -> Member {
        try withTurn { () throws(GraphError) in
            let above = try memberNode(parent)
            unsafe state.lastNumber += 1
            let member = unsafe Member(number: state.lastNumber)
            let source = ParentSource(parent: above.context)
            let context = ManagedObjectContext(model: coordinator.model, source: source)
            context.temporaryIDs = temporaryIDs
            above.children.append(member)
            unsafe state.memberNodes[member] = MemberNode(context, parent: parent, source: source)
            countContexts()
            return member
        }
    }

    /// Ends a context and those below it, discarding their pending changes.
    public func remove(_ member: Member) {
        withTurn {
            guard let leaving = unsafe state.memberNodes[member] else { return }
            if let parent = leaving.parent { unsafe state.memberNodes[parent]?.children.removeAll { $0 == member } }
            for member in subtree(from: member).reversed() {
                unsafe state.memberNodes.removeValue(forKey: member)?.context.end()
            }
            countContexts()
        }
    }

    /// Calls a closure with each change by others that reaches a context, until the watch is ended. It is called in the
    /// family's turn and must not block.
    public func watch(_ member: Member, _ watcher: @escaping @Sendable (MergeNotice) -> Void) throws(GraphError) -> Int
    {
        try withTurn { () throws(GraphError) in
            let memberNode = try memberNode(member)
            unsafe state.lastWatcher += 1
            memberNode.watchers[unsafe state.lastWatcher] = watcher
            return unsafe state.lastWatcher
        }
    }

    /// Calls a closure whenever a merge has changed what is pending in a context, or its base. It is called in the
    /// family's turn and must not block.
    public func observePending(of member: Member, _ pendingObserver: @escaping @Sendable () -> Void) {
        withTurn { unsafe state.memberNodes[member]?.pendingObserver = pendingObserver }
    }

    public func endWatch(_ watch: Int, of member: Member) {
        withTurn { unsafe state.memberNodes[member]?.watchers[watch] = nil }
    }

    /// Runs a closure in the family's turn, and then merges what has arrived meanwhile.
    private func withTurn<Result: Sendable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Merging isn't subject to the limits of the request that had the turn.
        defer { if !inbox.isEmpty { WorkLimits.withoutLimits(mergeInbox) } }
        return try turn.withLock { _ throws(Failure) in try body() }
    }

    /// Merges what others have saved; if the turn is taken, its holder does.
    private func mergeInbox() {
        while !inbox.isEmpty {
            // A merge that fails is retried by the next closure, which can throw.
            let isDone = turn.withLockIfAvailable { _ in (try? mergeInboxIntoTree()) != nil }
            guard isDone == true else { return }
        }
    }

    // MARK: Within a turn

    func memberNode(_ member: Member) throws(GraphError) -> MemberNode {
        if let memberNode = unsafe state.memberNodes[member] { return memberNode }
        throw GraphError(.invalidRequest, "The context has ended.")
    }

    /// A context and all below it, parents first.
    func subtree(from member: Member) -> [Member] {
        [member] + (unsafe state.memberNodes[member]?.children ?? []).flatMap(subtree(from:))
    }

    /// Gives access to a context and its ancestors, merges what is queued for the context, and runs a closure in it.
    func enter<Result>(
        _ memberNode: MemberNode,
        mergingFirst: Bool = true,
        _ body: (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        let moves = memberNode.context.pendingChangeCount
        defer { if memberNode.context.pendingChangeCount != moves { memberNode.pendingObserver?() } }
        guard let parent = memberNode.parent else {
            return try memberNode.context.performAndProcess(mergingFirst: mergingFirst, body)
        }
        return try withAccess(to: try self.memberNode(parent)) {
            try memberNode.context.performAndProcess(mergingFirst: mergingFirst, body)
        }
    }

    /// Only gives access: merges and processes nothing.
    func withAccess<Result>(to memberNode: MemberNode, _ body: () throws -> Result) throws -> Result {
        guard let parent = memberNode.parent else { return try memberNode.context.confinement.withAccess(body) }
        return try withAccess(to: try self.memberNode(parent)) { try memberNode.context.confinement.withAccess(body) }
    }

    /// Runs a closure that may use any of the contexts, in the family's turn.
    func withAccessToAll<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Confinement.withAccess(to: unsafe state.memberNodes.values.map(\.context.confinement), body)
    }

    /// Counts the contexts that others' changes are merged into.
    func countContexts() {
        func count(_ member: Member) -> Int {
            guard let memberNode = unsafe state.memberNodes[member] else { return 0 }
            memberNode.merges = memberNode.context.automaticallyMergesChanges
            return memberNode.merges ? memberNode.children.reduce(1) { $0 + count($1) } : 0
        }
        inbox.contextCount = count(root)
    }
}
