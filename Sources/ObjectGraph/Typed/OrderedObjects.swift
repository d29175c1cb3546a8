// SPDX-License-Identifier: Apache-2.0

// The members of an ordered relationship with their Swift type.

/// A live view of an ordered relationship's members.
///
///     book.chapters.insert(preface, at: 0)
///     let last = book.chapters.last
///
/// Appending doesn't read the other members. Errors are deferred, as for typed properties.
public struct OrderedObjects<Member: ManagedObject>: RandomAccessCollection {
    private let members: ToManyMembers<Member>

    init(_ members: ToManyMembers<Member>) {
        self.members = members
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { members.count }

    public subscript(index: Int) -> Member { members[index] }

    public func contains(_ member: Member) -> Bool { members.contains(member) }

    public func firstIndex(of member: Member) -> Int? { members.firstIndex(of: member) }

    public func append(_ member: Member) { members.insert(member, at: nil) }

    /// Inserts a new member before the one at an index.
    public func insert(_ member: Member, at index: Int) {
        precondition((0...count).contains(index), "A member was inserted at an index out of range.")
        members.insert(member, at: index)
    }

    public func remove(_ member: Member) { members.remove(member) }

    /// Moves a member to an index among the others.
    public func move(_ member: Member, to index: Int) {
        var objects = members.objects
        guard let place = objects.firstIndex(of: member) else { return }
        objects.remove(at: place)
        precondition((0...objects.count).contains(index), "A member was moved to an index out of range.")
        objects.insert(member, at: index)
        members.replace(with: objects)
    }

    /// Replaces all members, in this order.
    public func replace(with objects: some Sequence<Member>) { members.replace(with: Array(objects)) }

    public func removeAll() { members.replace(with: []) }

    public func makeIterator() -> IndexingIterator<[Member]> { members.objects.makeIterator() }
}
