// SPDX-License-Identifier: Apache-2.0

// The demo model in the program and the one in the checkout.

import DemoData
import ObjectModel
import TestSupport
import Testing

@Suite("The demo model")
struct DemoModelTests {
    @Test("in the program is the one of Config/Demo.json")
    func text() throws {
        #expect(try DemoModel.json == Checkout.text(of: "Config/Demo.json"))
    }

    @Test("can be read, and its current version is the newest")
    func reading() throws {
        #expect(try ModelFile(json: Array(DemoModel.json.utf8), name: "Demo").current.name == "Demo 2")
    }
}
