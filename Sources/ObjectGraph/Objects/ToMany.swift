// SPDX-License-Identifier: Apache-2.0

// The members of one object's to-many relationship, loaded or not, and their changes since the last save.

/// A to-many relationship's members.
///
/// 1. `added` and `removed` are disjoint, and turn the committed members into the present ones.
/// 2. While `members` is nil the committed members are unknown, and adding or removing doesn't need them.
/// 3. Once loaded, `members` contains all of `added` and none of `removed`.
/// 4. If the relationship is ordered, `orderBefore` has the committed members once they can't be derived from the
///    others.
struct ToMany: Equatable {
    let isOrdered: Bool
    /// The present members in order; nil until they are loaded.
    private(set) var members: OrderedMembers<ManagedObjectID>?
    private(set) var added = OrderedMembers<ManagedObjectID>()
    private(set) var removed = OrderedMembers<ManagedObjectID>()
    private(set) var orderBefore: [ManagedObjectID]?

    /// A relationship whose members aren't loaded.
    static func fault(_ relationship: RelationshipDescription) -> ToMany {
        ToMany(isOrdered: relationship.isOrdered, members: nil)
    }

    /// The relationship of a new object.
    static func empty(_ relationship: RelationshipDescription) -> ToMany {
        ToMany(isOrdered: relationship.isOrdered, members: OrderedMembers())
    }

    private init(isOrdered: Bool, members: OrderedMembers<ManagedObjectID>?) {
        self.isOrdered = isOrdered
        self.members = members
    }

    /// Restored from an archive.
    init(
        _ relationship: RelationshipDescription,
        members: [ManagedObjectID]?,
        added: [ManagedObjectID],
        removed: [ManagedObjectID],
        orderBefore: [ManagedObjectID]?
    ) {
        self.init(isOrdered: relationship.isOrdered, members: members.map { OrderedMembers($0) })
        self.added = OrderedMembers(added)
        self.removed = OrderedMembers(removed)
        self.orderBefore = orderBefore
    }

    var isFault: Bool { members == nil }
    var hasChanges: Bool { !added.isEmpty || !removed.isEmpty || orderBefore != nil }

    /// Whether it contains a member; nil if only the store knows.
    func contains(_ member: ManagedObjectID) -> Bool? {
        if let members { return members.contains(member) }
        if added.contains(member) { return true }
        return removed.contains(member) ? false : nil
    }

    func firstIndex(of member: ManagedObjectID) -> Int? { members?.firstIndex(of: member) }

    /// Sets the committed members, and applies the changes made meanwhile.
    mutating func load(_ committed: [ManagedObjectID]) {
        var loaded = OrderedMembers(committed)
        for member in added.members where !loaded.append(member) { added.remove(member) }
        for member in removed.members where !loaded.remove(member) { removed.remove(member) }
        members = loaded
        if isOrdered, !removed.isEmpty { orderBefore = committed }
    }

    mutating func add(_ member: ManagedObjectID, at index: Int? = nil) {
        guard contains(member) != true else { return }
        if let index, let count = members?.count, index < count {
            keepOrder()
            members?.insert(member, at: index)
        } else {
            members?.append(member)
        }
        if !removed.remove(member) { added.append(member) }
        discardUnchangedOrder()
    }

    /// Reorders the added members, behind the others.
    mutating func arrange(added order: [ManagedObjectID]) {
        let arranged = OrderedMembers(order.filter(added.contains) + added.members)
        guard arranged != added else { return }
        added = arranged
        members = members.map { members in
            OrderedMembers(members.members.filter { !arranged.contains($0) } + arranged.members)
        }
    }

    /// The place of a removed committed member, after its former predecessors; nil if unknown.
    func formerPlace(of member: ManagedObjectID) -> Int? {
        guard let orderBefore, let members, removed.contains(member), let place = orderBefore.firstIndex(of: member)
        else { return nil }
        for former in orderBefore[..<place].reversed() {
            if let index = members.firstIndex(of: former) { return index + 1 }
        }
        return 0
    }

    /// Returns whether it was a member, or may have been.
    @discardableResult
    mutating func remove(_ member: ManagedObjectID) -> Bool {
        if members == nil, added.isEmpty, orderBefore == nil { return removed.append(member) }
        guard contains(member) != false else { return false }
        if isOrdered { keepOrder() }
        members?.remove(member)
        if !added.remove(member) { removed.append(member) }
        discardUnchangedOrder()
        return true
    }

    /// Removes all members, which are loaded. Returns whether there were any.
    @discardableResult
    mutating func removeAll() -> Bool {
        guard let present = members, !present.isEmpty else { return false }
        if isOrdered { keepOrder() }
        members = OrderedMembers()
        if added.isEmpty, removed.isEmpty {
            removed = present
        } else {
            for member in present where !added.remove(member) { removed.append(member) }
        }
        discardUnchangedOrder()
        return true
    }

    /// Adds a member that others have added. Returns whether the members are loaded and didn't contain it.
    @discardableResult
    mutating func adopt(added member: ManagedObjectID) -> Bool {
        added.remove(member)
        removed.remove(member)
        return members?.append(member) ?? false
    }

    /// Removes a member that others have removed.
    mutating func adopt(removed member: ManagedObjectID) {
        added.remove(member)
        removed.remove(member)
        members?.remove(member)
        orderBefore?.removeAll { $0 == member }
    }

    /// Applies the order that others have given the members.
    mutating func adopt(order: [ManagedObjectID]) {
        if let arranged = arranged(order) { members = OrderedMembers(arranged) }
    }

    /// Replaces the committed members; there are no changes.
    mutating func reload(_ committed: [ManagedObjectID]) { members = OrderedMembers(committed) }

    /// The present members in another order, as far as it contains them; nil if nothing changes or they are unknown.
    func arranged(_ order: [ManagedObjectID]) -> [ManagedObjectID]? {
        guard let members else { return nil }
        let arranged = OrderedMembers(order.filter(members.contains) + members.members)
        return arranged == members ? nil : arranged.members
    }

    /// The explicit order of the members; nil if it follows from removals and appended members.
    var ownOrder: [ManagedObjectID]? {
        guard isOrdered, orderBefore != nil, let members, let impliedOrder = impliedOrder() else { return nil }
        return members.elementsEqual(impliedOrder) ? nil : members.members
    }

    /// The order that follows from removals and appended members; nil if the members are unknown.
    ///
    /// - Parameter order: A preferred order of the added members.
    func impliedOrder(added order: [ManagedObjectID] = []) -> [ManagedObjectID]? {
        guard let committed else { return nil }
        let arranged = OrderedMembers(order.filter(added.contains) + addedInOrder)
        return committed.filter { !removed.contains($0) } + arranged.members
    }

    /// The added members, in their present order if it matters.
    var addedInOrder: [ManagedObjectID] {
        guard isOrdered, let members else { return added.members }
        return members.filter(added.contains)
    }

    /// The objects among some that are members, or were removed.
    func known(of objects: Set<ManagedObjectID>) -> [ManagedObjectID] {
        let count = (members?.count ?? added.count) + removed.count
        if objects.count <= count {
            return objects.filter { members?.contains($0) == true || added.contains($0) || removed.contains($0) }
        }
        return ((members ?? added).members + removed.members).filter(objects.contains)
    }

    /// Reorders the members. Those that the order doesn't contain go to the end.
    mutating func reorder(_ order: [ManagedObjectID]) {
        guard let arranged = arranged(order) else { return }
        keepOrder()
        members = OrderedMembers(arranged)
        discardUnchangedOrder()
    }

    /// Replaces an object's former ID by its new one.
    mutating func replace(_ old: ManagedObjectID, by new: ManagedObjectID) {
        members?.replace(old, by: new)
        // An added member is in no other list.
        if added.contains(old) { return added.replace(old, by: new) }
        removed.replace(old, by: new)
        orderBefore = orderBefore.map { $0.map { $0 == old ? new : $0 } }
    }

    /// The same if the new ID may be, or have been, a member already.
    mutating func rename(_ old: ManagedObjectID, to new: ManagedObjectID) {
        if added.contains(old), removed.remove(new) {
            // The added member is the removed one.
            members?.replace(old, by: new)
            added.remove(old)
            return
        }
        guard contains(new) == true else { return replace(old, by: new) }
        members?.remove(old)
        added.remove(old)
        removed.remove(old)
    }

    mutating func rename(using name: (ManagedObjectID) -> ManagedObjectID) {
        for member in (members ?? added).members + removed.members {
            let present = name(member)
            if present != member { rename(member, to: present) }
        }
    }

    /// Makes the present members the committed ones.
    mutating func commit() {
        self = ToMany(isOrdered: isOrdered, members: members)
    }

    /// Makes all members added ones, since the store doesn't have them any more.
    mutating func uncommit() {
        let present = members ?? added
        guard !present.isEmpty || hasChanges || members == nil else { return }
        self = ToMany(isOrdered: isOrdered, members: OrderedMembers())
        for member in present { add(member) }
    }

    /// Discards the changes.
    mutating func rollback() {
        guard hasChanges else { return }
        self = ToMany(isOrdered: isOrdered, members: committed.map { OrderedMembers($0) })
    }

    /// The committed members, or nil if unknown.
    var committed: [ManagedObjectID]? {
        guard let members else { return nil }
        if let orderBefore { return orderBefore }
        if members.isEmpty { return removed.members }
        return members.members.filter { !added.contains($0) } + removed.members
    }

    private mutating func keepOrder() {
        if orderBefore == nil { orderBefore = committed }
    }

    /// Discards the committed order if it equals the present one.
    private mutating func discardUnchangedOrder() {
        guard let before = orderBefore, added.isEmpty, removed.isEmpty, members?.elementsEqual(before) == true else {
            return
        }
        orderBefore = nil
    }
}
