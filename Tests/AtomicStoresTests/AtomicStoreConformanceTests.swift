// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import StoreConformance
import Testing

@Suite("Conformance of atomic stores")
struct AtomicStoreConformanceTests {
    static let kinds = [
        StoreKind("in memory", without: [.reopening, .readOnly]) { model, _, _ in InMemoryStore(model: model) },
        StoreKind("XML") { model, folder, isReadOnly in
            try AtomicStore(path: folder + "/Store", format: .xml, model: model, isReadOnly: isReadOnly)
        },
        StoreKind("binary") { model, folder, isReadOnly in
            try AtomicStore(path: folder + "/Store", format: .binary, model: model, isReadOnly: isReadOnly)
        },
    ]

    @Test("an atomic store passes every conformance case", arguments: ConformanceRun.all(on: kinds))
    func conforms(run: ConformanceRun) async throws { try await run() }
}
