// SPDX-License-Identifier: Apache-2.0

// What was changed, in groups that are undone and redone as a whole.

typealias UndoGroup = [Inverse<ManagedObject>]

/// What came of a deletion since it was made, for others have brought something to what it deletes, and what takes that back.
struct Consequence<Object> {
    let cause: Object
    let inverse: Inverse<Object>
}

/// The changes of a context that can be taken back.
///
/// All that happens until changes are processed is one group, and so is what happens between `beginGrouping()` and
/// `endGrouping()`.
public final class ObjectUndoManager {
    /// The number of groups that are kept; zero keeps all.
    public var levelsOfUndo = 0 {
        didSet { trim() }
    }

    /// The edits that take the changes back, the latest last.
    private var undoable = UndoStack()
    private var redoable = UndoStack()
    /// The group that changes go to.
    private var open: UndoGroup = []
    private(set) var consequences: [Consequence<ManagedObject>] = []
    private var grouping = 0
    private var disabled = 0
    private var direction = Direction.forward
    /// The oldest groups, let go while one is open: they come back if that is given up.
    private var released: [UndoGroup] = []
    /// The relationships whose order the open group has.
    private var orders: Set<OrderKey> = []

    fileprivate struct OrderKey: Hashable {
        let object: ManagedObject
        let slot: Int
    }

    private enum Direction {
        case forward
        case undoing
        case redoing
    }

    public init() {}

    public var canUndo: Bool { !undoable.isEmpty || !open.isEmpty }
    public var canRedo: Bool { !redoable.isEmpty }
    /// How many groups can be undone, the open one among them.
    public var undoCount: Int { undoable.count + (open.isEmpty ? 0 : 1) }
    public var redoCount: Int { redoable.count }
    public var isRegistrationEnabled: Bool { disabled == 0 }

    /// Makes one group of all that happens until `endGrouping()`, however often changes are processed meanwhile.
    public func beginGrouping() {
        if grouping == 0 { closeGroup() }
        grouping += 1
    }

    public func endGrouping() {
        precondition(grouping > 0, "endGrouping() was called without a beginGrouping() before.")
        grouping -= 1
        if grouping == 0 { closeGroup() }
    }

    /// What happens until registration is enabled again can't be undone.
    public func disableRegistration() { disabled += 1 }

    public func enableRegistration() {
        precondition(disabled > 0, "enableRegistration() was called without a disableRegistration() before.")
        disabled -= 1
    }

    public func removeAll() {
        undoable.removeAll()
        redoable.removeAll()
        open = []
        released = []
        consequences = []
    }

    /// The groups of edits that undo and redo would perform, the next one last. What has no end yet counts as ended.
    var groups: (undoable: [UndoGroup], redoable: [UndoGroup]) {
        open.isEmpty ? (undoable.groups, redoable.groups) : (undoable.groups + [open], [])
    }

    /// The groups that the context's archive hasn't, which has none where all are asked for, and what it has of the others.
    func followingGroups(isWhole: Bool) -> (undoable: UndoStack.Following, redoable: UndoStack.Following) {
        let undoable = isWhole ? UndoStack(undoable.groups) : undoable
        let redoable = isWhole ? UndoStack(redoable.groups) : redoable
        return open.isEmpty
            ? (undoable.following(), redoable.following()) : (undoable.following(with: open), UndoStack().following())
    }

    /// Counts all as archived.
    func follow() {
        undoable.follow(with: open.isEmpty ? 0 : 1)
        if open.isEmpty { redoable.follow() } else { redoable.replace(redoable.groups) }
    }

    /// All that undo has, whatever state it is in.
    struct Groups {
        fileprivate let undoable: UndoStack
        fileprivate let redoable: UndoStack
        fileprivate let open: UndoGroup
        fileprivate let released: [UndoGroup]
        fileprivate let orders: Set<OrderKey>
        fileprivate let consequences: [Consequence<ManagedObject>]
    }

    var allGroups: Groups {
        get {
            Groups(
                undoable: undoable,
                redoable: redoable,
                open: open,
                released: released,
                orders: orders,
                consequences: consequences
            )
        }
        set {
            (undoable, redoable, open) = (newValue.undoable, newValue.redoable, newValue.open)
            (released, orders, consequences) = (newValue.released, newValue.orders, newValue.consequences)
        }
    }

    /// Has undo and redo perform other groups from now on.
    func replaceGroups(
        undoable: [UndoGroup],
        redoable: [UndoGroup],
        consequences: [Consequence<ManagedObject>] = []
    ) {
        removeAll()
        (self.undoable, self.redoable) = (UndoStack(undoable), UndoStack(redoable))
        self.consequences = consequences
        trim()
    }

    /// Whether the order of a relationship is to be kept, as it isn't yet in this group.
    func keepsOrder(of object: ManagedObject, _ slot: Int) -> Bool {
        disabled == 0 && orders.insert(OrderKey(object: object, slot: slot)).inserted
    }

    func record(_ inverse: Inverse<ManagedObject>) {
        guard disabled == 0 else { return }
        settleConsequences(overriddenBy: inverse.edit)
        undoable.changeNext()
        open.append(inverse)
    }

    /// Ends the group of an event, unless somebody has asked for a longer one.
    func endEvent() {
        if grouping == 0, direction == .forward { closeGroup() }
    }

    /// What was changed since the last group ended.
    var openGroup: UndoGroup { open }
    var isOpen: Bool { !open.isEmpty }

    /// Lets the oldest groups go, so that besides the open one only some stay.
    func release(but count: Int) {
        guard undoable.count > count else { return }
        released += undoable.groups.prefix(undoable.count - count)
        undoable.removeFirst(undoable.count - count)
    }

    /// Adds what takes back what came of deletions later.
    func add(_ consequences: [Consequence<ManagedObject>]) { self.consequences += consequences }

    /// What takes back all that came of deletions later, in that order. It is to follow from those deletions anew that remain.
    func takeConsequences() -> UndoGroup {
        defer { consequences = [] }
        return consequences.reversed().map(\.inverse)
    }

    /// Makes the consequences of deletions part of the groups that the deletions are in.
    func settleConsequences() { settleConsequences(of: { _ in true }) }

    /// The same for deletions that have cleared a reference which is about to be set: it isn't to be cleared anew after that.
    private func settleConsequences(overriddenBy edit: ContextEdit) {
        guard !consequences.isEmpty, case .toOne(let object, let slot, _) = edit else { return }
        let causes = consequences.filter { consequence in
            guard case .toOne(object, slot, _) = consequence.inverse.edit else { return false }
            return true
        }
        let overridden = Set(causes.map(\.cause))
        settleConsequences(of: overridden.contains)
    }

    private func settleConsequences(of isSettled: (ManagedObject) -> Bool) {
        let settled = consequences.filter { isSettled($0.cause) }
        guard !settled.isEmpty else { return }
        func settling(_ group: UndoGroup) -> UndoGroup {
            let deleted = Set(group.compactMap(\.edit.restored))
            return group + settled.filter { deleted.contains($0.cause) }.map(\.inverse)
        }
        undoable.replace(undoable.groups.map(settling))
        open = settling(open)
        consequences.removeAll { isSettled($0.cause) }
    }

    /// Drops edits that are not to be performed any more, wherever they are.
    func forget(where isForgotten: (ContextEdit) -> Bool) {
        consequences.removeAll { isForgotten($0.inverse.edit) }
        change { group in group.filter { !isForgotten($0.edit) } }
    }

    /// Has edits of an object be such of another one, which it has become. What brings it or takes it away goes.
    func redirect(_ object: ManagedObject, to other: ManagedObject) {
        consequences.removeAll { $0.inverse.edit.object === object }
        change { group in
            group.compactMap { inverse in
                guard inverse.edit.object === object else { return inverse }
                return inverse.edit.redirected(to: other).map { Inverse(edit: $0, era: inverse.era) }
            }
        }
    }

    /// Makes others of all groups, and lets those go of which nothing is left.
    private func change(_ changed: (UndoGroup) -> UndoGroup) {
        undoable.replace(undoable.groups.map(changed).filter { !$0.isEmpty })
        redoable.replace(redoable.groups.map(changed).filter { !$0.isEmpty })
        open = changed(open)
    }

    /// Gives up the open group, and says what takes its changes back, in that order.
    func takeOpenGroup() -> [ContextEdit] {
        undoable.changeNext()
        if !released.isEmpty { undoable.replace(released + undoable.groups) }
        defer { (open, orders, released) = ([], [], []) }
        return open.reversed().map(\.edit)
    }

    /// Undoes or redoes a group by the context's means.
    func replay(undoing: Bool, _ perform: (UndoGroup) throws(GraphError) -> Void) throws(GraphError) {
        closeGroup()
        guard let group = undoing ? undoable.last : redoable.last else { return }
        direction = undoing ? .undoing : .redoing
        defer { direction = .forward }
        try perform(group.reversed())
        if undoing { undoable.removeLast() } else { redoable.removeLast() }
        closeGroup()
    }

    /// What is undone or redone is a group in any case: others may have made the changes too, so that nothing is left of them.
    private func closeGroup() {
        (orders, released) = ([], [])
        guard !open.isEmpty || direction != .forward else { return }
        switch direction {
        case .forward:
            undoable.append(open)
            redoable.removeAll()
        case .undoing: redoable.append(open)
        case .redoing: undoable.append(open)
        }
        open = []
        trim()
    }

    private func trim() {
        if levelsOfUndo > 0, undoable.count > levelsOfUndo { undoable.removeFirst(undoable.count - levelsOfUndo) }
    }
}
