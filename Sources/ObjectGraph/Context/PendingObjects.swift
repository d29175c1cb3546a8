// SPDX-License-Identifier: Apache-2.0

// The objects of a context that are pending in one way, in the order in which they came to be.

/// A set of objects with an order, which knows what came since the context was archived.
struct PendingObjects {
    private var all = OrderedMembers<ManagedObject>()
    /// Those that came last; nil where no archive is followed.
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

    /// Counts all that comes from now on as the latest.
    mutating func follow() { latest = OrderedMembers() }
}

extension PendingObjects: Sequence {
    func makeIterator() -> some IteratorProtocol<ManagedObject> { all.makeIterator() }
}
