// SPDX-License-Identifier: Apache-2.0

// docs/migration.md, compared with the program.

import Testing

@Suite("docs/migration.md")
struct MigrationPageTests {
    @Test("docs/migration.md shows what the program prints")
    func console() throws {
        try Console.expectOutputs(of: Page("docs/migration.md"))
    }
}
