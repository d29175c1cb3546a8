// SPDX-License-Identifier: Apache-2.0

import NoteStore
import StoreConformance
import Testing

@Suite("The example of a store does what every store does")
struct ConformanceTests {
    static let notes = StoreKind("notes", without: [.notes]) { model, folder, isReadOnly in
        try NoteStore(folder: folder + "/Notes", model: model, isReadOnly: isReadOnly)
    }

    @Test("each case holds", arguments: ConformanceRun.all(on: [notes]))
    func conforms(run: ConformanceRun) async throws { try await run() }
}
