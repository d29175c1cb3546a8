// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import Testing

@Suite("Fetched results")
struct FetchedResultsTests {
    let world: World

    init() throws {
        world = try World()
    }

    /// A controller of posts by title, optionally in sections, and a closure that returns the changes so far.
    private func controller(
        _ context: ManagedObjectContext,
        sections: Bool = false
    ) throws -> (FetchedResultsController<ManagedObject>, () -> [FetchedResultsChanges]) {
        var request = FetchRequest<ManagedObject>("Post")
        request.sortDescriptors = [ObjectSortDescriptor("title"), ObjectSortDescriptor("views")]
        let controller = try FetchedResultsController(
            request: request,
            context: context,
            sectionNameKeyPath: sections ? "title" : nil
        )
        let told = Told()
        controller.onChange = { told.changes.append($0) }
        try controller.performFetch()
        return (controller, { told.changes })
    }

    private final class Told {
        var changes: [FetchedResultsChanges] = []
    }

    private func post(_ context: ManagedObjectContext, _ title: String, _ views: Int64 = 0) throws -> ManagedObject {
        let post = try context.insert("Post")
        try post.setValue(.string(title), forKey: "title")
        try post.setValue(.integer(views), forKey: "views")
        return post
    }

    private func path(_ section: Int, _ item: Int) -> FetchedResultsIndexPath {
        FetchedResultsIndexPath(section: section, item: item)
    }

    @Test("insertions, moves, updates and deletions are notified with old and new positions")
    func changes() throws {
        try world.run { context in
            let (a, b) = (try post(context, "A"), try post(context, "B"))
            let (c, d) = (try post(context, "C"), try post(context, "D"))
            let (controller, told) = try controller(context)
            #expect(controller.fetchedObjects == [a, b, c, d])
            try a.setValue("E", forKey: "title")
            try b.setValue(5, forKey: "views")
            context.delete(c)
            let new = try post(context, "BB")
            try context.processPendingChanges()
            #expect(controller.fetchedObjects == [b, new, d, a])
            #expect(
                told().first?.objects == [
                    .delete(c.objectID, at: path(0, 2)), .update(b.objectID, from: path(0, 1), to: path(0, 0)),
                    .insert(new.objectID, at: path(0, 1)), .move(a.objectID, from: path(0, 0), to: path(0, 3)),
                ]
            )
            let old = [a, b, c, d].map(\.objectID)
            #expect(told().first?.difference.flatMap { old.applying($0) } == [b, new, d, a].map(\.objectID))
            controller.stop()
            context.delete(a)
            try context.processPendingChanges()
            #expect(told().count == 1)
        }
    }

    @Test("sections are inserted and deleted with their objects")
    func sections() throws {
        try world.run { context in
            let (a, b) = (try post(context, "A"), try post(context, "B"))
            let (controller, told) = try controller(context, sections: true)
            #expect(controller.sections.map(\.name) == ["A", "B"])
            try a.setValue("C", forKey: "title")
            try context.processPendingChanges()
            let changes = try #require(told().first)
            #expect(controller.sections.map(\.name) == ["B", "C"])
            #expect(changes.deletedSections.map(\.index) == [0] && changes.insertedSections.map(\.index) == [1])
            #expect(changes.objects == [.move(a.objectID, from: path(0, 0), to: path(1, 0))])
            #expect(changes.difference == nil)
            #expect(controller.indexPath(of: b) == path(0, 0) && controller.object(at: path(1, 0)) === a)
        }
    }

    @Test("saves of other contexts are notified at once, including objects that aren't registered")
    func merged() async throws {
        let world = world
        let ids = try world.run { context in
            let posts = [try post(context, "A", 1), try post(context, "B", 100)]
            try context.save()
            return posts.map(\.objectID)
        }
        try await world.coordinator.liveContext().perform { context in
            var request = FetchRequest<ManagedObject>("Post", predicate: try ObjectPredicate("views > 50"))
            request.sortDescriptors = [ObjectSortDescriptor("title")]
            let controller = try FetchedResultsController(request: request, context: context)
            let told = Told()
            controller.onChange = { told.changes.append($0) }
            try controller.performFetch()
            #expect(controller.list.objectIDs == [ids[1]])
            let new = try world.run { context in
                try context.object(with: ids[0]).setValue(60, forKey: "views")
                context.delete(context.object(with: ids[1]))
                let new = try post(context, "C", 70)
                try context.save()
                return new.objectID
            }
            try context.mergeSavedChanges()
            #expect(controller.list.objectIDs == [ids[0], new])
            #expect(told.changes.count == 1)
            let gone = try #require(context.registeredObject(for: ids[1]))
            #expect(gone.isDeleted && !gone.hasChanges)
            #expect(try gone.value(forKey: "title") == "B")
        }
    }

    @Test("a request without an order, or sections that the order splits, are refused")
    func refused() throws {
        try world.run { context in
            let unsorted = FetchRequest<ManagedObject>("Post")
            #expect(throws: GraphError.self) { try FetchedResultsController(request: unsorted, context: context) }
            _ = (try post(context, "A", 1), try post(context, "B", 2), try post(context, "A", 3))
            var request = unsorted
            request.sortDescriptors = [ObjectSortDescriptor("views")]
            let controller = try FetchedResultsController(
                request: request,
                context: context,
                sectionNameKeyPath: "title"
            )
            let error = #expect(throws: GraphError.self) { try controller.performFetch() }
            #expect(error?.message.contains("together") == true)
            #expect(throws: GraphError.self) {
                try FetchedResultsController(request: request, context: context, sectionNameKeyPath: "titel")
            }
        }
    }
}
