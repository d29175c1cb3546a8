// SPDX-License-Identifier: Apache-2.0

// The positions of names and placeholders in a format.

import Predicates
import Testing

@Suite("Names in format strings")
struct FormatNameTests {
    @Test("the names of a format are listed with byte offsets and whether they follow a dot")
    func list() {
        let names = FormatName.list(in: "é.name == %@ AND length:(%K.#or) > $N.posts.@count")
        #expect(
            names == [
                FormatName(.step("é"), at: 0), FormatName(.step("name"), isContinued: true, at: 3),
                FormatName(.argument(FormatArgument(index: 0)), at: 11), FormatName(.step("AND"), at: 14),
                FormatName(.function("length:"), at: 18), FormatName(.keyArgument(1), at: 26),
                FormatName(.step("or"), isContinued: true, at: 29), FormatName(.variable("N"), at: 36),
                FormatName(.step("posts"), isContinued: true, at: 39),
                FormatName(.step("@count"), isContinued: true, at: 45),
            ]
        )
    }

    @Test("text in quotes is not a name, and a syntax error ends the list")
    func others() {
        #expect(FormatName.list(in: "'a.b' == \"c %@\"") == [])
        #expect(FormatName.list(in: "a == 'b") == [FormatName(.step("a"), at: 0)])
        #expect(FormatName.list(in: "") == [])
    }
}
