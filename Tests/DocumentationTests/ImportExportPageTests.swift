// SPDX-License-Identifier: Apache-2.0

// docs/import-export.md against the program.

import Testing

@Suite("docs/import-export.md")
struct ImportExportPageTests {
    @Test("shows what the program prints")
    func console() throws {
        try Console.expectOutputs(of: Page("docs/import-export.md"))
    }
}
