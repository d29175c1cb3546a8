// SPDX-License-Identifier: Apache-2.0

import NoteStore
import StoreConformance
import Testing

@Suite("Conformance of the example store")
struct ConformanceTests {
    static let notes = StoreKind("notes", without: [.notes]) { model, folder, isReadOnly in
        try NoteStore(folder: folder + "/Notes", model: model, isReadOnly: isReadOnly)
    }

    @Test("the example store passes each conformance case", arguments: ConformanceRun.all(on: [notes]))
    func conforms(run: ConformanceRun) async throws { try await run() }
}
