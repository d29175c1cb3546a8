// SPDX-License-Identifier: Apache-2.0

// Entity tags, ranges, and the conditions made of them.

import HTTPMessage
import Testing

@Suite("Entity tags")
struct EntityTagTests {
    @Test("are read and written in quotation marks")
    func reading() {
        #expect(EntityTag(parsing: "\"3\"") == EntityTag("3"))
        #expect(EntityTag(parsing: "W/\"a,b\\c\"") == EntityTag("a,b\\c", isWeak: true))
        #expect(EntityTag(parsing: "\"\"")?.description == "\"\"")
        #expect(EntityTag("3", isWeak: true).description == "W/\"3\"")
        #expect(EntityTag("a\" \r\nb").description == "\"ab\"")
        for text in [
            "", "3", "\"", "\"3", "3\"", "w/\"3\"", "W\"3\"", "W/3", "\"3\" ", " \"3\"", "\"a b\"", "\"3\"\"4\"",
        ] {
            #expect(EntityTag(parsing: text) == nil)
        }
    }

    @Test(
        "in If-Match let a request through where one of them is the state's own, and strong",
        arguments: [
            ("\"3\"", "\"3\"", true), ("\"2\", \"3\"", "\"3\"", true), ("\"2\",,\"4\"", "\"3\"", false),
            ("*", "\"3\"", true),
            ("*", nil, false), ("\"3\"", nil, false), ("W/\"3\"", "\"3\"", false), ("\"3\"", "W/\"3\"", false),
            ("W/\"3\"", "W/\"3\"", false), ("\"a,\", \"3\"", "\"3\"", true),
        ]
    )
    func matching(field: String, current: String?, isMatch: Bool) throws {
        let condition = try #require(try EntityTagCondition.ifMatch(in: ["if-match": field]))
        #expect(condition.matchesStrongly(current.flatMap { EntityTag(parsing: $0) }) == isMatch)
    }

    @Test(
        "in If-None-Match stop a request where one of them is as good as the state's own",
        arguments: [
            ("\"3\"", "\"3\"", true), ("W/\"3\"", "\"3\"", true), ("\"3\"", "W/\"3\"", true),
            ("W/\"3\"", "W/\"3\"", true),
            ("\"2\", W/\"4\"", "\"3\"", false), ("*", "\"3\"", true), ("*", nil, false), ("\"3\"", nil, false),
        ]
    )
    func notMatching(field: String, current: String?, isMatch: Bool) throws {
        let condition = try #require(try EntityTagCondition.ifNoneMatch(in: ["If-None-Match": field]))
        #expect(condition.matchesWeakly(current.flatMap { EntityTag(parsing: $0) }) == isMatch)
    }

    @Test("are joined over several fields, and are no condition without one")
    func severalFields() throws {
        let fields: HeaderFields = ["If-Match": "\"1\"", "if-match": "\"2\""]
        #expect(try EntityTagCondition.ifMatch(in: fields) == .tags([EntityTag("1"), EntityTag("2")]))
        #expect(try EntityTagCondition.ifNoneMatch(in: fields) == nil)
    }

    @Test(
        "that are malformed make a condition malformed",
        arguments: ["", "3", "\"3", "\"3\" \"4\"", "*, \"3\"", "\"3\", x", ","]
    )
    func refusals(_ field: String) {
        #expect(
            performing: { _ = try EntityTagCondition.ifMatch(in: ["If-Match": field]) },
            throws: { ($0 as? HTTPRefusal)?.status == .badRequest }
        )
    }
}

@Suite("Byte ranges")
struct ByteRangeTests {
    @Test(
        "are resolved against a length",
        arguments: [
            ("bytes=0-4", [0..<5]), ("bytes=5-", [5..<10]), ("bytes=-3", [7..<10]), ("bytes=0-0", [0..<1]),
            ("bytes=9-9", [9..<10]), ("bytes=9-100", [9..<10]), ("bytes=-100", [0..<10]), ("bytes=10-", []),
            ("bytes=-0", []),
            ("bytes=0-1, 3-4,-1", [0..<2, 3..<5, 9..<10]), ("Bytes=0-4", [0..<5]), ("bytes=20-30, 1-1", [1..<2]),
            ("bytes=0-99999999999999999999", [0..<10]), ("bytes=99999999999999999999-", []),
            ("bytes=-99999999999999999999", [0..<10]), ("bytes=9223372036854775807-9223372036854775807", []),
        ]
    )
    func resolving(field: String, ranges: [Range<Int>]) throws {
        #expect(try #require(ByteRange.ranges(in: field)).compactMap { $0.resolved(length: 10) } == ranges)
    }

    @Test(
        "have nothing of an empty content",
        arguments: [ByteRange.from(0, through: nil), .from(0, through: 5), .last(3)]
    )
    func emptyContent(_ range: ByteRange) {
        #expect(range.resolved(length: 0) == nil)
    }

    @Test(
        "that are malformed, many, or not in bytes are passed over",
        arguments: [
            "", "bytes", "bytes=", "bytes=-", "bytes=4-3", "bytes=a-b", "bytes=1", "bytes=1-2-3", "bytes=1-2,",
            "bytes=+1-2",
            "bytes=1 -2", "bytes=--1", "lines=1-2", "bytes:1-2", "bytes =1-2", "bytes=0x1-2",
            "bytes=" + repeatElement("0-0", count: 17).joined(separator: ","),
        ]
    )
    func passedOver(_ field: String) {
        #expect(ByteRange.ranges(in: field) == nil)
    }

    @Test("are told to the client with the length of the whole")
    func contentRange() {
        #expect(ByteRange.contentRange(2..<5, length: 10) == "bytes 2-4/10")
        #expect(ByteRange.contentRange(nil, length: 10) == "bytes */10")
    }

    @Test(
        "are sent where If-Range names the state there is",
        arguments: [
            (nil, true), ("\"3\"", true), ("\"2\"", false), ("W/\"3\"", false), ("Sun, 06 Nov 1994 08:49:37 GMT", true),
            ("Sun, 06 Nov 1994 08:49:38 GMT", false), ("Sun, 06 Nov 1994 08:49:36 GMT", false), ("x", false),
            ("", false),
        ]
    )
    func condition(field: String?, isAllowed: Bool) {
        var fields: HeaderFields = [:]
        fields[.ifRange] = field
        let date = HTTPDate(secondsSince1970: 784_111_777)
        #expect(RangeCondition.allowsParts(fields, tag: EntityTag("3"), lastModified: date) == isAllowed)
        #expect(RangeCondition.allowsParts(fields, tag: nil) == (field == nil))
        #expect(!RangeCondition.allowsParts(["If-Range": "W/\"3\""], tag: EntityTag("3", isWeak: true)))
    }
}
