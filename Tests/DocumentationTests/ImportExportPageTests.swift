// SPDX-License-Identifier: Apache-2.0

// docs/import-export.md, compared with the program.

import Testing

@Suite("docs/import-export.md")
struct ImportExportPageTests {
    @Test("docs/import-export.md shows what the program prints")
    func console() throws {
        try Console.expectOutputs(of: Page("docs/import-export.md"))
    }
}
