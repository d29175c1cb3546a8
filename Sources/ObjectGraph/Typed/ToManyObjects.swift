// SPDX-License-Identifier: Apache-2.0

// The members of a to-many relationship with their Swift type.

/// A live view of a to-many relationship's members.
///
///     post.tags.insert(tag)
///     for tag in post.tags { … }
///
/// Inserting and removing don't read the other members. Errors are deferred, as for typed properties.
public struct ToManyObjects<Member: ManagedObject>: Sequence {
    private let members: ToManyMembers<Member>

    init(_ members: ToManyMembers<Member>) {
        self.members = members
    }

    public var count: Int { members.count }
    public var isEmpty: Bool { count == 0 }
    public var underestimatedCount: Int { count }

    public func contains(_ member: Member) -> Bool { members.contains(member) }

    public func insert(_ member: Member) { members.insert(member, at: nil) }

    public func remove(_ member: Member) { members.remove(member) }

    /// Replaces all members.
    public func replace(with objects: some Sequence<Member>) { members.replace(with: Array(objects)) }

    public func removeAll() { members.replace(with: []) }

    public func makeIterator() -> IndexingIterator<[Member]> { members.objects.makeIterator() }
}
