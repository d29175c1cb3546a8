// SPDX-License-Identifier: Apache-2.0

// The members of a to-many relationship of one object, loaded or not, and what was changed of them since the last save.

/// A to-many relationship's members.
///
/// 1. `added` and `removed` have no member in common, and together lead from the committed members to the present ones.
/// 2. While `members` is nil the committed members are unknown, and adding or removing doesn't need them.
/// 3. Once loaded, `members` has all of `added` and none of `removed`.
/// 4. Where the order counts, `orderBefore` has the committed members as soon as it can't be told from the others.
struct ToMany: Equatable {
    let isOrdered: Bool
    /// The present members in their order; nil as long as nobody asked for them.
    private(set) var members: OrderedMembers<ManagedObjectID>?
    private(set) var added = OrderedMembers<ManagedObjectID>()
    private(set) var removed = OrderedMembers<ManagedObjectID>()
    private(set) var orderBefore: [ManagedObjectID]?

    /// A relationship that waits for its members to be asked for.
    static func fault(_ relationship: RelationshipDescription) -> ToMany {
        ToMany(isOrdered: relationship.isOrdered, members: nil)
    }

    /// That of a new object.
    static func empty(_ relationship: RelationshipDescription) -> ToMany {
        ToMany(isOrdered: relationship.isOrdered, members: OrderedMembers())
    }

    private init(isOrdered: Bool, members: OrderedMembers<ManagedObjectID>?) {
        self.isOrdered = isOrdered
        self.members = members
    }

    /// One that was kept apart from its object.
    init(
        _ relationship: RelationshipDescription,
        members: [ManagedObjectID]?,
        added: [ManagedObjectID],
        removed: [ManagedObjectID],
        orderBefore: [ManagedObjectID]?
    ) {
        self.init(isOrdered: relationship.isOrdered, members: members.map { OrderedMembers($0) })
        (self.added, self.removed) = (OrderedMembers(added), OrderedMembers(removed))
        self.orderBefore = orderBefore
    }

    var isFault: Bool { members == nil }
    var hasChanges: Bool { !added.isEmpty || !removed.isEmpty || orderBefore != nil }

    /// Whether it is known to have a member; nil where only the store knows.
    func contains(_ member: ManagedObjectID) -> Bool? {
        if let members { return members.contains(member) }
        if added.contains(member) { return true }
        return removed.contains(member) ? false : nil
    }

    func firstIndex(of member: ManagedObjectID) -> Int? { members?.firstIndex(of: member) }

    /// Takes in what the store has, with the changes made meanwhile applied.
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
        settleOrder()
    }

    /// Puts the members that were added into another order, behind the others.
    mutating func arrange(added order: [ManagedObjectID]) {
        let arranged = OrderedMembers(order.filter(added.contains) + added.members)
        guard arranged != added else { return }
        added = arranged
        members = members.map { members in
            OrderedMembers(members.members.filter { !arranged.contains($0) } + arranged.members)
        }
    }

    /// Where a committed member stood that was removed: behind those that stood before it. Nil where that isn't known.
    func formerPlace(of member: ManagedObjectID) -> Int? {
        guard let orderBefore, let members, removed.contains(member), let place = orderBefore.firstIndex(of: member)
        else { return nil }
        for former in orderBefore[..<place].reversed() {
            if let index = members.firstIndex(of: former) { return index + 1 }
        }
        return 0
    }

    mutating func remove(_ member: ManagedObjectID) {
        guard contains(member) != false else { return }
        if isOrdered { keepOrder() }
        members?.remove(member)
        if !added.remove(member) { removed.append(member) }
        settleOrder()
    }

    /// Takes in a member that others have added.
    mutating func adopt(added member: ManagedObjectID) {
        added.remove(member)
        removed.remove(member)
        members?.append(member)
    }

    /// Lets go of a member that others have removed.
    mutating func adopt(removed member: ManagedObjectID) {
        added.remove(member)
        removed.remove(member)
        members?.remove(member)
        orderBefore?.removeAll { $0 == member }
    }

    /// Takes in the order that others have given the members.
    mutating func adopt(order: [ManagedObjectID]) {
        if let arranged = arranged(order) { members = OrderedMembers(arranged) }
    }

    /// Takes in what the store has now in place of what it had before; there are no changes.
    mutating func reload(_ committed: [ManagedObjectID]) { members = OrderedMembers(committed) }

    /// The present members in another order, as far as it has them; nil where it is theirs already, or they aren't known.
    func arranged(_ order: [ManagedObjectID]) -> [ManagedObjectID]? {
        guard let members else { return nil }
        let arranged = OrderedMembers(order.filter(members.contains) + members.members)
        return arranged == members ? nil : arranged.members
    }

    /// The order that the members were given; nil where it follows from what was removed, and added at the end.
    var ownOrder: [ManagedObjectID]? {
        guard isOrdered, orderBefore != nil, let members, let impliedOrder = impliedOrder() else { return nil }
        return members.elementsEqual(impliedOrder) ? nil : members.members
    }

    /// The order that follows from what was removed, and added at the end; nil where the members aren't known.
    ///
    /// - Parameter order: The order of what was added, as far as it is to be another one than that in which it stands.
    func impliedOrder(added order: [ManagedObjectID] = []) -> [ManagedObjectID]? {
        guard let committed else { return nil }
        let arranged = OrderedMembers(order.filter(added.contains) + addedInOrder)
        return committed.filter { !removed.contains($0) } + arranged.members
    }

    /// What was added, in the order in which it stands, where that counts.
    var addedInOrder: [ManagedObjectID] {
        guard isOrdered, let members else { return added.members }
        return members.filter(added.contains)
    }

    /// Those of some objects that are known to have to do with the relationship.
    func known(of objects: Set<ManagedObjectID>) -> [ManagedObjectID] {
        let count = (members?.count ?? added.count) + removed.count
        if objects.count <= count {
            return objects.filter { members?.contains($0) == true || added.contains($0) || removed.contains($0) }
        }
        return ((members ?? added).members + removed.members).filter(objects.contains)
    }

    /// Gives the members another order. Those that it hasn't stand at the end.
    mutating func reorder(_ order: [ManagedObjectID]) {
        guard let arranged = arranged(order) else { return }
        keepOrder()
        members = OrderedMembers(arranged)
        settleOrder()
    }

    /// Puts the ID that an object got in the place of the one it had.
    mutating func replace(_ old: ManagedObjectID, by new: ManagedObjectID) {
        members?.replace(old, by: new)
        // What was added stands nowhere else.
        if added.contains(old) { return added.replace(old, by: new) }
        removed.replace(old, by: new)
        orderBefore = orderBefore.map { $0.map { $0 == old ? new : $0 } }
    }

    /// The same where the new one may be a member already, or have been one.
    mutating func rename(_ old: ManagedObjectID, _ new: ManagedObjectID) {
        if added.contains(old), removed.remove(new) {
            // It is what was removed that was added.
            members?.replace(old, by: new)
            added.remove(old)
            return
        }
        guard contains(new) == true else { return replace(old, by: new) }
        members?.remove(old)
        added.remove(old)
        removed.remove(old)
    }

    mutating func rename(_ permanentIDs: [ManagedObjectID: ManagedObjectID]) {
        for member in (members ?? added).members + removed.members {
            if let permanent = permanentIDs[member] { rename(member, permanent) }
        }
    }

    /// Counts the present members as committed ones.
    mutating func commit() {
        self = ToMany(isOrdered: isOrdered, members: members)
    }

    /// Counts all members as new ones: the store has none of them any more.
    mutating func uncommit() {
        let present = members ?? added
        self = ToMany(isOrdered: isOrdered, members: OrderedMembers())
        for member in present { add(member) }
    }

    /// Gives up the changes.
    mutating func rollback() {
        guard hasChanges else { return }
        self = ToMany(isOrdered: isOrdered, members: committed.map { OrderedMembers($0) })
    }

    /// The committed members, where they are known.
    var committed: [ManagedObjectID]? {
        guard let members else { return nil }
        if let orderBefore { return orderBefore }
        return members.members.filter { !added.contains($0) } + removed.members
    }

    private mutating func keepOrder() {
        if orderBefore == nil { orderBefore = committed }
    }

    /// Forgets the order before if it is the present one again.
    private mutating func settleOrder() {
        guard let before = orderBefore, added.isEmpty, removed.isEmpty, members?.elementsEqual(before) == true else {
            return
        }
        orderBefore = nil
    }
}
