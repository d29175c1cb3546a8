// SPDX-License-Identifier: Apache-2.0

// What was changed, in groups that are undone and redone as a whole.

/// The changes of a context that can be taken back.
///
/// All that happens until changes are processed is one group, and so is what happens between `beginGrouping()` and
/// `endGrouping()`.
public final class UndoManager {
    /// The number of groups that are kept; zero keeps all.
    public var levelsOfUndo = 0 {
        didSet { trim() }
    }

    /// The edits that take the changes back, the latest last.
    private var undoable: [[ContextEdit]] = []
    private var redoable: [[ContextEdit]] = []
    /// The group that changes go to.
    private var open: [ContextEdit] = []
    private var grouping = 0
    private var disabled = 0
    private var direction = Direction.forward
    /// The oldest groups, let go while one is open: they come back if that is given up.
    private var released: [[ContextEdit]] = []
    /// The relationships whose order the open group has.
    private var orders: Set<OrderKey> = []

    private struct OrderKey: Hashable {
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
        undoable = []
        redoable = []
        open = []
        released = []
    }

    /// The groups of edits that undo and redo would perform, the next one last. What has no end yet counts as ended.
    var groups: (undoable: [[ContextEdit]], redoable: [[ContextEdit]]) {
        open.isEmpty ? (undoable, redoable) : (undoable + [open], [])
    }

    /// Has undo and redo perform other groups from now on.
    func replaceGroups(undoable: [[ContextEdit]], redoable: [[ContextEdit]]) {
        removeAll()
        (self.undoable, self.redoable) = (undoable, redoable)
        trim()
    }

    /// Whether the order of a relationship is to be kept, as it isn't yet in this group.
    func keepsOrder(of object: ManagedObject, _ slot: Int) -> Bool {
        disabled == 0 && orders.insert(OrderKey(object: object, slot: slot)).inserted
    }

    func record(_ edit: ContextEdit) {
        guard disabled == 0 else { return }
        open.append(edit)
    }

    /// Ends the group of an event, unless somebody has asked for a longer one.
    func endEvent() {
        if grouping == 0 { closeGroup() }
    }

    /// Whether something was changed since the last group ended.
    var isOpen: Bool { !open.isEmpty }

    /// Lets the oldest groups go, so that besides the open one only some stay.
    func release(but count: Int) {
        guard undoable.count > count else { return }
        released += undoable.prefix(undoable.count - count)
        undoable.removeFirst(undoable.count - count)
    }

    /// Drops edits that are not to be performed any more, wherever they are.
    func forget(where isForgotten: (ContextEdit) -> Bool) {
        open.removeAll(where: isForgotten)
        for place in undoable.indices { undoable[place].removeAll(where: isForgotten) }
        for place in redoable.indices { redoable[place].removeAll(where: isForgotten) }
        undoable.removeAll(where: \.isEmpty)
        redoable.removeAll(where: \.isEmpty)
    }

    /// Gives up the open group, and says what takes its changes back, in that order.
    func takeOpenGroup() -> [ContextEdit] {
        undoable = released + undoable
        defer { (open, orders, released) = ([], [], []) }
        return open.reversed()
    }

    /// Undoes or redoes a group by the context's means.
    func replay(undoing: Bool, _ perform: ([ContextEdit]) throws(GraphError) -> Void) throws(GraphError) {
        closeGroup()
        guard let group = undoing ? undoable.last : redoable.last else { return }
        direction = undoing ? .undoing : .redoing
        defer { direction = .forward }
        try perform(group.reversed())
        if undoing { undoable.removeLast() } else { redoable.removeLast() }
        closeGroup()
    }

    private func closeGroup() {
        (orders, released) = ([], [])
        guard !open.isEmpty else { return }
        switch direction {
        case .forward:
            undoable.append(open)
            redoable = []
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
