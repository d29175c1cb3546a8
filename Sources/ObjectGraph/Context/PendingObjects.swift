// SPDX-License-Identifier: Apache-2.0

// The objects of a context with one kind of pending change, in order.

/// An ordered set of objects that knows which were added since the context was archived.
struct PendingObjects {
    private var all = OrderedMembers<ManagedObject>()
    /// The objects added since the last archive, or nil if archives don't follow each other.
    private(set) var latest: OrderedMembers<ManagedObject>?

    init() {}

    init(_ objects: some Sequence<ManagedObject>) { all = OrderedMembers(objects) }

    var members: [ManagedObject] { all.members }
    var isEmpty: Bool { all.isEmpty }
    var count: Int { all.count }

    func contains(_ object: ManagedObject) -> Bool { all.contains(object) }

    @discardableResult
    mutating func append(_ object: ManagedObject) -> Bool {
        guard all.append(object) else { return false }
        latest?.append(object)
        return true
    }

    @discardableResult
    mutating func remove(_ object: ManagedObject) -> Bool {
        latest?.remove(object)
        return all.remove(object)
    }

    /// Counts the objects added from now on as the latest.
    mutating func follow() { latest = OrderedMembers() }
}

extension PendingObjects: Sequence {
    func makeIterator() -> some IteratorProtocol<ManagedObject> { all.makeIterator() }
}
