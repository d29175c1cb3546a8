// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ObjectGraph

@Suite("To-many relationship state")
struct ToManyTests {
    @Test(
        "a new member that is merged with an existing one appears once, and not as a change if it was removed",
        arguments: [false, true]
    )
    func renaming(isLoaded: Bool) throws {
        let world = try World()
        try world.run { (context) throws in
            let (post, tag) = (try context.insert("Post"), try context.insert("Tag"))
            try context.save()
            let new = try context.insert("Tag").objectID
            let relationship = try post.relationship("tags")
            var begun = ToMany.fault(relationship)
            if isLoaded { begun.load([tag.objectID]) }
            begun.add(new)
            var both = begun
            both.rename(new, to: tag.objectID)
            #expect(both.members?.members ?? [tag.objectID] == [tag.objectID])
            #expect(both.hasChanges == !isLoaded)
            var instead = begun
            instead.remove(tag.objectID)
            instead.rename(new, to: tag.objectID)
            #expect(!instead.hasChanges)
            #expect(instead.members?.members ?? [tag.objectID] == [tag.objectID])
        }
    }
}
