// SPDX-License-Identifier: Apache-2.0

// The groups that undo, or redo, would perform.

/// Groups of edits, the next one last.
struct UndoStack {
    private(set) var groups: [UndoGroup] = []
    /// How many of the archived groups were dropped at the front, and how many remain after these.
    private(set) var archived = Archived()

    struct Archived {
        var dropped = 0
        var kept = 0
    }

    init(_ groups: [UndoGroup] = []) { self.groups = groups }

    var isEmpty: Bool { groups.isEmpty }
    var count: Int { groups.count }
    var last: UndoGroup? { groups.last }

    mutating func append(_ group: UndoGroup) { groups.append(group) }

    mutating func removeLast() {
        groups.removeLast()
        archived.kept = min(archived.kept, groups.count)
    }

    mutating func removeFirst(_ count: Int) {
        groups.removeFirst(count)
        archived.dropped += min(count, archived.kept)
        archived.kept = max(0, archived.kept - count)
    }

    mutating func removeAll() { self = UndoStack() }

    mutating func replace(_ groups: [UndoGroup]) { self = UndoStack(groups) }

    /// Marks the present groups as archived, and a number of groups that are about to follow.
    mutating func follow(with others: Int = 0) { archived = Archived(kept: groups.count + others) }

    /// What the next archive has to contain.
    struct Following {
        let archived: Archived
        let groups: [UndoGroup]
    }

    /// The groups that the archive lacks, with a group that is about to follow.
    func following(with open: UndoGroup? = nil) -> Following {
        let count = groups.count + (open == nil ? 0 : 1)
        let archived = Archived(dropped: archived.dropped, kept: min(archived.kept, count))
        let rest = Array(groups.dropFirst(archived.kept))
        return Following(archived: archived, groups: archived.kept < count ? rest + [open].compactMap(\.self) : rest)
    }

    /// Marks the next group as different from the archived one.
    mutating func changeNext() { archived.kept = min(archived.kept, groups.count) }
}
