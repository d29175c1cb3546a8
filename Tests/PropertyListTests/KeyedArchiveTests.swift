// SPDX-License-Identifier: Apache-2.0

// Keyed archives: their contents are read back as written.

import PropertyList
import TestSupport
import Testing

@Suite("Keyed archives")
struct KeyedArchiveTests {
    @Test("archived objects can refer to each other in a cycle")
    func circle() throws {
        var builder = KeyedArchiveBuilder()
        let one = builder.reserve()
        let other = builder.add(class: ["Node", "NSObject"], [("next", one), ("weight", 7)])
        builder.fill(one, class: ["Root", "Node", "NSObject"], [("next", other), ("none", KeyedArchiveBuilder.null)])
        let root = try #require(try Self.archive(&builder, one).root.object)
        #expect(root.className == "Root")
        #expect(root.isKind(of: "Node") && !root.isKind(of: "Leaf"))
        #expect(root.keys == ["next", "none"])
        #expect(root["none"]?.isNull == true && root["missing"] == nil)
        let next = try #require(root["next"]?.object)
        #expect(next["weight"]?.integer() == 7)
        #expect(next["next"]?.object?.place == root.place)
    }

    @Test("archived objects of Foundation's classes are read as values")
    func values() throws {
        var builder = KeyedArchiveBuilder()
        let text = builder.add("text")
        let values = [
            text, builder.add(date: 1.5), builder.add(uuid: Array(0..<16)), builder.add(url: "https://example.org/"),
            builder.add(.integer(7)), builder.add(.real(0.5)), builder.add(.boolean(true)), builder.add(.data([1])),
            builder.addNull(), KeyedArchiveBuilder.null, builder.add(set: [text]),
            builder.add(class: ["NSMutableString", "NSString", "NSObject"], [("NS.string", "soft")]),
            builder.add(class: ["NSMutableData", "NSData", "NSObject"], [("NS.data", .data([2]))]),
        ]
        let list = builder.add(array: values, mutable: true)
        let root = builder.add(dictionary: [(text, list)])
        let dictionary = try #require(try Self.archive(&builder, root).root.dictionary)
        #expect(dictionary.map { $0.key.string } == ["text"])
        let members = try #require(dictionary.first?.value.members)
        #expect(
            members.map { "\(Self.text($0))" } == [
                "text", "date 1.5", "uuid 16", "https://example.org/", "7", "0.5", "true", "data [1]", "null", "null",
                "set text", "soft", "data [2]",
            ]
        )
    }

    @Test("a URL that is its own base is read as a plain object")
    func circleOfURLs() throws {
        var builder = KeyedArchiveBuilder()
        let url = builder.reserve()
        let text = builder.add("page.html")
        builder.fill(url, class: ["NSURL", "NSObject"], [("NS.base", url), ("NS.relative", text)])
        #expect(try Self.archive(&builder, url).root.object?.className == "NSURL")
    }

    @Test(
        "archived decimal numbers are read back as written",
        arguments: ["0", "1", "-12.50", "3.14e-5", "340282366920938463463374607431768211455"]
    )
    func decimals(text: String) throws {
        let decimal = try #require(ArchivedDecimal(text))
        var builder = KeyedArchiveBuilder()
        let root = builder.add(decimal: decimal)
        guard case .decimal(let read) = try Self.archive(&builder, root).root else {
            Issue.record("It is no decimal number.")
            return
        }
        #expect(read == decimal)
    }

    @Test("a decimal number with many final zeros is read, up to the greatest exponent")
    func longDecimals() {
        let (digits, zeros) = ("123", String(repeating: "0", count: 90))
        #expect(
            ArchivedDecimal("-\(digits)\(zeros)") == ArchivedDecimal(isNegative: true, significand: 123, exponent: 90)
        )
        #expect(ArchivedDecimal("\(digits).\(zeros)") == ArchivedDecimal(significand: 123, exponent: 0))
        #expect(ArchivedDecimal("1\(zeros)\(zeros)") == nil)
    }

    @Test(
        "text that isn't a decimal number is refused",
        arguments: ["", "-", "x", "1e", "1e999", "1e-9223372036854775808", "1.2.3", "0x10"]
    )
    func noDecimals(text: String) {
        #expect(ArchivedDecimal(text) == nil)
    }

    @Test("equal texts and numbers are shared in an archive")
    func sharing() {
        var builder = KeyedArchiveBuilder()
        #expect(builder.add("a") == builder.add("a"))
        #expect(builder.add(.integer(1)) != builder.add(.boolean(true)))
        // These are equal in Swift.
        #expect(builder.add("\u{E9}") != builder.add("e\u{301}"))
    }

    @Test(
        "property lists that aren't keyed archives are refused",
        arguments: [
            ([1], "The property list isn't a keyed archive."),
            (["$archiver": "NSKeyedArchiver"], "The version of the keyed archive is not 100000."),
            (["$archiver": "NSKeyedArchiver", "$version": 100_000], "The keyed archive has no objects."),
            (
                ["$archiver": "NSKeyedArchiver", "$version": 100_000, "$top": [:], "$objects": [["$class": .uid(9)]]],
                "An object of the archive has a class that the archive doesn't contain."
            ),
            (
                ["$archiver": "NSKeyedArchiver", "$version": 100_000, "$top": [:], "$objects": [["$class": .uid(0)]]],
                "A class of the archive has no name."
            ),
        ] as [(PropertyListValue, String)]
    )
    func refusals(list: PropertyListValue, message: String) {
        let error = #expect(throws: PropertyListError.self) { try KeyedArchive(list) }
        #expect(error?.code == .notAnArchive)
        #expect(error?.message == message)
    }

    @Test("references to missing objects, or to other references, are read as null")
    func places() throws {
        let objects: PropertyListValue = ["$null", .uid(1), ["NS.objects": []]]
        let top: PropertyListValue = ["root": .uid(99), "loop": .uid(1), "plain": .uid(2)]
        let archive = try KeyedArchive(
            ["$archiver": "NSKeyedArchiver", "$version": 100_000, "$top": top, "$objects": objects]
        )
        #expect(archive.root.isNull)
        #expect(archive[top: "loop"]?.isNull == true)
        #expect(archive[top: "plain"]?.isNull == true)
    }

    private static func archive(
        _ builder: inout KeyedArchiveBuilder,
        _ root: PropertyListValue
    ) throws -> KeyedArchive {
        try KeyedArchive(parsing: builder.archive(root: root).binary())
    }

    private static func text(_ value: ArchivedValue) -> String {
        switch value {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value), .url(let value): value
        case .data(let value): "data \(value)"
        case .date(let value): "date \(value)"
        case .uuid(let value): "uuid \(value.count)"
        case .array(let members): "array " + members.map(text).joined(separator: ",")
        case .set(let members): "set " + members.map(text).joined(separator: ",")
        case .dictionary: "dictionary"
        case .object(let object): object.className
        }
    }
}
