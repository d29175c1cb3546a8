// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import ObjectGraph
import Predicates
import Testing

@Suite("Explanations of fetches")
struct ExplainTests {
    @Test("the explanation of an in-memory fetch lists what each store evaluates")
    func memory() throws {
        let model = try Bookshop.model.get()
        let coordinator = PersistentStoreCoordinator(model: model)
        let stores = [InMemoryStore(model: model), InMemoryStore(model: model)]
        for store in stores { try coordinator.add(store) }
        let explanations = try coordinator.explain(FetchRequest("Book", where: "sold > 3", by: "-sold,title"))
        #expect(explanations.map(\.store) == stores.map(\.identifier))
        #expect(
            explanations.map(\.evaluated)
                == Array(
                    repeating: [
                        "sold > 3 (the store is in memory)", "sorting by -sold, title (the store is in memory)",
                    ],
                    count: 2
                )
        )
        #expect(explanations.allSatisfy { $0.statement == nil && !$0.usesIndex })
        #expect(throws: GraphError.self) { try coordinator.explain(FetchRequest("Book", where: "nothing > 3")) }
    }
}
