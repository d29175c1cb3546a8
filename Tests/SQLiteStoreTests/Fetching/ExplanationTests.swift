// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import Testing

@testable import SQLiteStore

@Suite("Explanations of fetches")
struct ExplanationTests {
    @Test(
        "an explanation contains the values and whether an index serves the fetch",
        arguments: [
            ("title == 'x' AND views > 3", "", true), ("views > 3", "", false), ("views > 3", "title", true),
            ("views > 3", "views", false), ("score > 3", "title", true), ("views > 3", "-createdAt", true),
        ]
    )
    func explained(predicate: String, order: String, usesIndex: Bool) throws {
        try Blog.withStore { blog in
            let coordinator = PersistentStoreCoordinator(model: blog.model)
            try coordinator.add(blog.store)
            var request = FetchRequest<ManagedObject>("Post", predicate: try ObjectPredicate(predicate))
            request.sortDescriptors = order.isEmpty ? [] : try ObjectSortDescriptor.list(parsing: order)
            request.fetchLimit = 50
            let explanation = try coordinator.explain(request)[0]
            #expect(explanation.store == blog.store.identifier)
            #expect(explanation.usesIndex == usesIndex, "\(explanation.queryPlan)")
            #expect(explanation.bindings.last == 50 && explanation.bindings.contains { $0 == 3 || $0 == 3.0 })
            #expect(explanation.statement?.contains(" FROM ZPOST AS t0 WHERE ") == true)
            #expect(explanation.evaluated.isEmpty)
        }
    }
}
