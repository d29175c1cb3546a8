// SPDX-License-Identifier: Apache-2.0

// Changes in groups that are undone and redone as a whole.

typealias UndoGroup = [Inverse<ManagedObject>]

/// A later consequence of a deletion, caused by others' changes to the deleted object, and its inverse.
struct Consequence<Object> {
    let cause: Object
    let inverse: Inverse<Object>
}

/// Records the changes of a context for undo and redo.
///
/// All changes until `processPendingChanges()` form one group, and so do all changes between `beginGrouping()` and
/// `endGrouping()`.
public final class ObjectUndoManager {
    /// The number of groups to keep; zero keeps all.
    public var levelsOfUndo = 0 {
        didSet { trim() }
    }

    /// What was recorded. A copy restores it.
    struct Records {
        /// The inverse edits of the changes, the latest last.
        fileprivate var undoable = UndoStack()
        fileprivate var redoable = UndoStack()
        /// The group that changes are added to.
        fileprivate var open: UndoGroup = []
        fileprivate(set) var consequences: [Consequence<ManagedObject>] = []
        /// The oldest groups, released while one is open: they return if that one is discarded.
        fileprivate var released: [UndoGroup] = []
        /// The relationships whose order the open group has recorded.
        fileprivate var orders: Set<OrderKey> = []

        /// The objects that the recorded edits change.
        var objects: Set<ManagedObject> {
            let groups = [undoable.groups, redoable.groups, released, [open, consequences.map(\.inverse)]]
            return Set(groups.joined().joined().lazy.map(\.edit.object))
        }
    }

    fileprivate struct OrderKey: Hashable {
        let object: ManagedObject
        let slot: Int
    }

    var records = Records()
    private var grouping = 0
    private var disabled = 0
    private var direction = Direction.forward

    private enum Direction {
        case forward
        case undoing
        case redoing
    }

    public init() {}

    public var canUndo: Bool { !records.undoable.isEmpty || !records.open.isEmpty }
    public var canRedo: Bool { !records.redoable.isEmpty }
    /// The number of groups that can be undone, including the open one.
    public var undoCount: Int { records.undoable.count + (records.open.isEmpty ? 0 : 1) }
    public var redoCount: Int { records.redoable.count }
    public var isRegistrationEnabled: Bool { disabled == 0 }

    /// Begins a group that lasts until `endGrouping()`, however often changes are processed meanwhile.
    public func beginGrouping() {
        if grouping == 0 { closeGroup() }
        grouping += 1
    }

    public func endGrouping() {
        precondition(grouping > 0, "endGrouping() was called without a beginGrouping() before.")
        grouping -= 1
        if grouping == 0 { closeGroup() }
    }

    /// Stops recording until registration is enabled again; changes made meanwhile can't be undone.
    public func disableRegistration() { disabled += 1 }

    public func enableRegistration() {
        precondition(disabled > 0, "enableRegistration() was called without a disableRegistration() before.")
        disabled -= 1
    }

    public func removeAll() { records = Records() }

    /// The groups that undo and redo would perform, the next one last. The open group counts as closed.
    var groups: (undoable: [UndoGroup], redoable: [UndoGroup]) {
        let undoable = records.undoable.groups
        return records.open.isEmpty ? (undoable, records.redoable.groups) : (undoable + [records.open], [])
    }

    /// The groups that the context's archive lacks, or all groups if it is whole, and what it has of the others.
    func followingGroups(isWhole: Bool) -> (undoable: UndoStack.Following, redoable: UndoStack.Following) {
        let undoable = isWhole ? UndoStack(records.undoable.groups) : records.undoable
        let redoable = isWhole ? UndoStack(records.redoable.groups) : records.redoable
        return records.open.isEmpty
            ? (undoable.following(), redoable.following())
            : (undoable.following(with: records.open), UndoStack().following())
    }

    /// Marks all groups as archived.
    func follow() {
        records.undoable.follow(with: records.open.isEmpty ? 0 : 1)
        if records.open.isEmpty { records.redoable.follow() } else { records.redoable.replace(records.redoable.groups) }
    }

    /// Replaces the groups of undo and redo.
    func replaceGroups(
        undoable: [UndoGroup],
        redoable: [UndoGroup],
        consequences: [Consequence<ManagedObject>] = []
    ) {
        removeAll()
        records.undoable = UndoStack(undoable)
        records.redoable = UndoStack(redoable)
        records.consequences = consequences
        trim()
    }

    /// Whether the order of a relationship must be recorded, once per group.
    func keepsOrder(of object: ManagedObject, _ slot: Int) -> Bool {
        disabled == 0 && records.orders.insert(OrderKey(object: object, slot: slot)).inserted
    }

    func record(_ inverse: Inverse<ManagedObject>) {
        guard disabled == 0 else { return }
        moveConsequencesIntoGroups(overriddenBy: inverse.edit)
        records.undoable.changeNext()
        records.open.append(inverse)
    }

    /// Ends the group of an event, unless an explicit group is open.
    func endEvent() {
        if grouping == 0, direction == .forward { closeGroup() }
    }

    /// The changes since the last group ended.
    var openGroup: UndoGroup { records.open }
    var isOpen: Bool { !records.open.isEmpty }

    /// Releases the oldest groups, keeping a number of them besides the open one.
    func release(but count: Int) {
        guard records.undoable.count > count else { return }
        records.released += records.undoable.groups.prefix(records.undoable.count - count)
        records.undoable.removeFirst(records.undoable.count - count)
    }

    func add(_ consequences: [Consequence<ManagedObject>]) { records.consequences += consequences }

    /// Drains the inverse edits of all later consequences, in order. They are recomputed for the remaining deletions.
    func drainConsequences() -> UndoGroup {
        defer { records.consequences = [] }
        return records.consequences.reversed().map(\.inverse)
    }

    /// Moves the consequences of deletions into the groups of the deletions.
    func moveConsequencesIntoGroups() { moveConsequencesIntoGroups(of: { _ in true }) }

    /// The same for deletions that cleared a reference which is about to be set: it must not be cleared again after
    /// that.
    private func moveConsequencesIntoGroups(overriddenBy edit: ContextEdit) {
        guard !records.consequences.isEmpty, case .toOne(let object, let slot, _) = edit else { return }
        let causes = records.consequences.filter { consequence in
            guard case .toOne(object, slot, _) = consequence.inverse.edit else { return false }
            return true
        }
        let overridden = Set(causes.map(\.cause))
        moveConsequencesIntoGroups(of: overridden.contains)
    }

    private func moveConsequencesIntoGroups(of isResolved: (ManagedObject) -> Bool) {
        let settled = records.consequences.filter { isResolved($0.cause) }
        guard !settled.isEmpty else { return }
        func withConsequences(_ group: UndoGroup) -> UndoGroup {
            let deleted = Set(group.compactMap(\.edit.restored))
            return group + settled.filter { deleted.contains($0.cause) }.map(\.inverse)
        }
        records.undoable.replace(records.undoable.groups.map(withConsequences))
        records.open = withConsequences(records.open)
        records.consequences.removeAll { isResolved($0.cause) }
    }

    /// Drops edits, in whatever group they are.
    func forget(where isForgotten: (ContextEdit) -> Bool) {
        records.consequences.removeAll { isForgotten($0.inverse.edit) }
        change { group in group.filter { !isForgotten($0.edit) } }
    }

    /// Redirects the edits of an object to the one that replaced it. Its insertions and deletions are dropped.
    func redirect(_ object: ManagedObject, to other: ManagedObject) {
        records.consequences.removeAll { $0.inverse.edit.object === object }
        change { group in
            group.compactMap { inverse in
                guard inverse.edit.object === object else { return inverse }
                return inverse.edit.redirected(to: other).map { Inverse(edit: $0, era: inverse.era) }
            }
        }
    }

    /// Transforms all groups, and drops those that become empty.
    private func change(_ changed: (UndoGroup) -> UndoGroup) {
        records.undoable.replace(records.undoable.groups.map(changed).filter { !$0.isEmpty })
        records.redoable.replace(records.redoable.groups.map(changed).filter { !$0.isEmpty })
        records.open = changed(records.open)
    }

    /// Discards the open group, and returns its inverse edits in order.
    func discardOpenGroup() -> [ContextEdit] {
        records.undoable.changeNext()
        if !records.released.isEmpty { records.undoable.replace(records.released + records.undoable.groups) }
        defer {
            records.open = []
            records.orders = []
            records.released = []
        }
        return records.open.reversed().map(\.edit)
    }

    /// Undoes or redoes a group with the closure.
    func replay(undoing: Bool, _ perform: (UndoGroup) throws(GraphError) -> Void) throws(GraphError) {
        closeGroup()
        guard let group = undoing ? records.undoable.last : records.redoable.last else { return }
        direction = undoing ? .undoing : .redoing
        defer { direction = .forward }
        try perform(group.reversed())
        if undoing { records.undoable.removeLast() } else { records.redoable.removeLast() }
        closeGroup()
    }

    /// Undo and redo always close a group, even an empty one: others may have made the same changes.
    private func closeGroup() {
        records.orders = []
        records.released = []
        guard !records.open.isEmpty || direction != .forward else { return }
        switch direction {
        case .forward:
            records.undoable.append(records.open)
            records.redoable.removeAll()
        case .undoing: records.redoable.append(records.open)
        case .redoing: records.undoable.append(records.open)
        }
        records.open = []
        trim()
    }

    private func trim() {
        guard levelsOfUndo > 0, records.undoable.count > levelsOfUndo else { return }
        records.undoable.removeFirst(records.undoable.count - levelsOfUndo)
    }
}
