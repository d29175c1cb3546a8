// SPDX-License-Identifier: Apache-2.0

// docs/core-data.md, compared with the program.

import FoundationEssentials
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("docs/core-data.md")
struct CoreDataPageTests {
    private let page: Page

    init() throws {
        page = try Page("docs/core-data.md")
    }

    @Test("docs/core-data.md shows what the program prints")
    func console() throws {
        try Console.expectOutputs(of: page)
    }

    @Test("the picture of the demo model is the one that the program draws")
    func diagram() throws {
        #expect(page.blocks(in: "console").contains { $0.text.contains("outcrop model diagram") })
        try Checkout.withFolder { folder in
            let path = folder + "/Demo.svg"
            let words = ["model", "diagram", Checkout.path + "/Config/Demo.xcdatamodeld", "-o", path]
            #expect(Program.run(words, on: .plain).status == .fine)
            // Compared as a Boolean, since a report of how two pictures differ takes minutes.
            let isTheSame =
                try String(contentsOfFile: path, encoding: .utf8) == Checkout.text(of: "docs/images/demo.svg")
            #expect(isTheSame, "docs/images/demo.svg is to be drawn anew.")
        }
    }
}
