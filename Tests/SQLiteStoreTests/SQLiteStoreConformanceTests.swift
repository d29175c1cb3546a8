// SPDX-License-Identifier: Apache-2.0

import SQLiteStore
import StoreConformance
import Testing

@Suite("SQLite store conformance")
struct SQLiteStoreConformanceTests {
    static let kind = StoreKind("SQLite") { model, folder, isReadOnly in
        var options = SQLiteStoreOptions()
        options.isReadOnly = isReadOnly
        return try SQLiteStore(path: folder + "/Store.sqlite", model: model, options: options)
    }

    @Test("a SQLite store passes every conformance case", arguments: ConformanceRun.all(on: [kind]))
    func conforms(run: ConformanceRun) async throws { try await run() }
}
