// SPDX-License-Identifier: Apache-2.0

// Misuse that ends the program with a message. Other tests of this kind are next to their subjects.

import AtomicStores
import FoundationEssentials
import ObjectGraph
import Predicates
import TestSupport
import Testing

@Suite("Misuse")
struct PreconditionTests {
    @Test("ending an undo group that was never begun traps")
    func undoGroups() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObjectUndoManager().endGrouping()
        }
        try Self.expect("endGrouping() was called without a beginGrouping() before.", in: result)
    }

    @Test("enabling registration that was never disabled traps")
    func undoRegistration() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ObjectUndoManager().enableRegistration()
        }
        try Self.expect("enableRegistration() was called without a disableRegistration() before.", in: result)
    }

    @Test("reading an index path outside the controller's result traps")
    func indexPaths() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try World().run { context in
                var request = FetchRequest<ManagedObject>("Post")
                request.sortDescriptors = [ObjectSortDescriptor("title")]
                _ = try context.insert("Post")
                let controller = try FetchedResultsController(request: request, context: context)
                try controller.performFetch()
                _ = controller.object(at: FetchedResultsIndexPath(section: 0, item: 1))
            }
        }
        try Self.expect("There is no object", in: result)
    }

    @Test("a store that returns the row of another entity traps")
    func wrongRow() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let model = try World.model.get()
            let store = try CountingStore(TestStore.make(model), mixesRows: true)
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(store)
            let ids = try coordinator.withContext { context in
                let objects = [try context.insert("Post"), try context.insert("Tag")]
                try context.save()
                return objects.map(\.objectID)
            }
            try coordinator.withContext { context in
                let objects = ids.map(context.object)
                // Both are read by one call, which returns the rows in another order.
                var request = FetchRequest<ManagedObject>("Post")
                request.includesPropertyValues = false
                context.retainsRegisteredObjects = true
                _ = try context.fetch(request)
                context.delete(objects[0])
                context.delete(objects[1])
                try context.processPendingChanges()
            }
        }
        try Self.expect("A store returned a row of", in: result)
    }

    /// Expects a message where there is one: optimized programs trap without.
    static func expect(_ text: String, in result: ExitTest.Result?) throws {
        let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(Checkout.isOptimized || output.contains(text), "\(output)")
    }
}
