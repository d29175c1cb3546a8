// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Swift for apps")
struct AppExampleTests {
    static let page = "docs/tutorial.md"

    @Test("the page's Swift for apps is what is compiled here")
    func text() throws {
        let file = try Checkout.text(of: "Tests/DocumentationTests/AppExample.swift")
        let parts = file.components(separatedBy: "// Begin\n").dropFirst().compactMap { part -> String? in
            let lines = part.components(separatedBy: "\n").prefix { $0.drop { $0 == " " } != "// End" }
            let indentation = lines.first?.prefix { $0 == " " }.count ?? 0
            return lines.map { String($0.dropFirst(indentation)) }.joined(separator: "\n")
        }
        #expect(try Page(Self.page).blocks(in: "swift").map(\.text) == parts)
    }
}
