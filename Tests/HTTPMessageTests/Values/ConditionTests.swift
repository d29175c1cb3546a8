// SPDX-License-Identifier: Apache-2.0

// Entity tags, ranges, and conditional requests.

import HTTPMessage
import Testing

@Suite("Entity tags")
struct EntityTagTests {
    @Test("entity tags are read and written in quotation marks")
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
        "If-Match is satisfied by a strong tag that equals the current one",
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
        "If-None-Match is violated by a tag that weakly equals the current one",
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

    @Test("tags of several fields are joined, and without a field there is no condition")
    func severalFields() throws {
        let fields: HeaderFields = ["If-Match": "\"1\"", "if-match": "\"2\""]
        #expect(try EntityTagCondition.ifMatch(in: fields) == .tags([EntityTag("1"), EntityTag("2")]))
        #expect(try EntityTagCondition.ifNoneMatch(in: fields) == nil)
    }

    @Test(
        "a condition with a malformed tag is refused",
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
        "a byte range is resolved against a length",
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
        "an empty content has no byte ranges",
        arguments: [ByteRange.from(0, through: nil), .from(0, through: 5), .last(3)]
    )
    func emptyContent(_ range: ByteRange) {
        #expect(range.resolved(length: 0) == nil)
    }

    @Test(
        "malformed, numerous or non-byte ranges are ignored",
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

    @Test("Content-Range gives the range and the whole length")
    func contentRange() {
        #expect(ByteRange.contentRange(2..<5, length: 10) == "bytes 2-4/10")
        #expect(ByteRange.contentRange(nil, length: 10) == "bytes */10")
    }

    @Test(
        "a range is sent if If-Range matches the current state",
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
