// SPDX-License-Identifier: Apache-2.0

// The demo model of the program and that of the checkout.

import DemoData
import ObjectModel
import TestSupport
import Testing

@Suite("Demo model")
struct DemoModelTests {
    @Test("the program's demo model is the text of Config/Demo.json")
    func text() throws {
        #expect(try DemoModel.json == Checkout.text(of: "Config/Demo.json"))
    }

    @Test("the demo model can be read, and its current version is the newest")
    func reading() throws {
        #expect(try ModelFile(json: Array(DemoModel.json.utf8), name: "Demo").current.name == "Demo 2")
    }
}
