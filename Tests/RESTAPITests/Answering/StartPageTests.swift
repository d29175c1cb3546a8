// SPDX-License-Identifier: Apache-2.0

// The start page, as far as its text can be checked.

import FoundationEssentials
import TestSupport
import Testing

@Suite("Start page")
struct StartPageTests {
    fileprivate static let scripts = ["app.js", "format.js", "json.js", "model.js", "views.js"]

    @Test("the start page loads all its scripts, and json.js first")
    func files() throws {
        let page = try Checkout.text(of: "Console/index.html")
        let named = page.split(separator: "<script src=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
        let found = try FileManager.default.contentsOfDirectory(atPath: Checkout.path + "/Console")
        #expect(named.first == "json.js")
        #expect(named.sorted() == Self.scripts && found.filter { $0.hasSuffix(".js") }.sorted() == Self.scripts)
    }

    @Test("the start page never reads responses with functions that round numbers", arguments: StartPageTests.scripts)
    func numbers(script: String) throws {
        let text = try Checkout.text(of: "Console/" + script)
        #expect(!text.contains(".json()"))
        // The reader itself uses it for strings and literals.
        #expect(script == "json.js" || !text.contains("JSON.parse"))
    }
}
