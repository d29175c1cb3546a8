// SPDX-License-Identifier: Apache-2.0

// Reading values from JSON, by attribute type.

import FoundationEssentials
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@testable import RESTAPI

@Suite("Values from JSON")
struct ValueReadingTests {
    static let model = Model {
        Entity("Thing") {
            Attribute("int16", .int16).optional()
            Attribute("int32", .int32).optional()
            Attribute("int64", .int64).optional()
            Attribute("decimal", .decimal).optional()
            Attribute("double", .double).optional()
            Attribute("float", .float).optional()
            Attribute("bool", .bool).optional()
            Attribute("string", .string).optional()
            Attribute("date", .date).optional()
            Attribute("binary", .binary).optional()
            Attribute("uuid", .uuid).optional()
            Attribute("uri", .uri).optional()
            Attribute("any", .transformable(transformer: nil)).optional()
            Attribute("place", .composite("Place")).optional()
        }
        Composite("Place") {
            Attribute("city", .string).optional().default("Ulm")
            Attribute("zip", .int16).optional()
            Attribute("_code", .string).optional()
        }
    }

    private func read(_ name: String, _ json: String) throws -> (Value?, [Problem.Detail]) {
        let model = try ManagedObjectModel(Self.model)
        let attribute = try #require(model.entity(named: "Thing")?.attribute(named: name))
        var findings = Findings()
        let place = BodyPosition(object: "things/1").member(name)
        let value = attribute.value(from: try JSONValue(parsing: json), at: place, into: &findings)
        return (value, findings.details)
    }

    @Test("dates at the end of the year 9999 are read back as shown")
    func lastDates() throws {
        for text in ["9999-12-31T23:59:59.99999Z", "9999-12-31T23:59:59.999999Z", "9999-12-31T22:59:59.9999999-01:00"] {
            guard case .date(let date)? = try read("date", "\"\(text)\"").0 else {
                Issue.record("\(text) is refused.")
                continue
            }
            var buffer = JSONBuffer()
            buffer.write(date)
            let shown = String(decoding: buffer.bytes, as: UTF8.self)
            #expect(shown.hasPrefix("\"9999-12-31T23:59:59."), "\(shown)")
            #expect(try read("date", shown).0 == .date(date))
        }
    }

    @Test(
        "values are read according to the attribute's type",
        arguments: [
            ("int16", "-32768", .integer(-32768)), ("int16", "1.0", .integer(1)),
            ("int32", "2147483647", 2_147_483_647),
            ("int64", "9223372036854775807", .integer(.max)), ("int64", "-9223372036854775808", .integer(.min)),
            ("int64", "1e3", .integer(1000)), ("double", "0.1", .double(0.1)), ("double", "5", .double(5)),
            ("float", "0.1", .double(Double(Float(0.1)))), ("bool", "true", .bool(true)), ("string", "\"5\"", "5"),
            (
                "decimal", "\"12345678901234567890.123456789012345678\"",
                .decimal(digits("12345678901234567890.123456789012345678"))
            ),
            ("decimal", "0.1", .decimal(digits("0.1"))), ("decimal", "\"-1e3\"", .decimal(-1000)),
            ("decimal", "0e999999999", .decimal(0)),
            ("date", "\"2001-01-01T00:00:00Z\"", .date(seconds(0))),
            ("date", "\"2001-01-01t01:30:00.25+01:30\"", .date(seconds(0.25))),
            ("date", "\"2001-01-01T00:00:60z\"", .date(seconds(60))), ("date", "1e15", .date(seconds(1e15))),
            ("binary", "\"AP8=\"", .data(Data([0, 255]))), ("binary", "\"\"", .data(Data())),
            ("uuid", "\"0D9F1C3E-6c3a-4bd3-8f6f-2f1d6d1e7a10\"", uuid), ("uri", "\"mailto:a@b\"", .uri("mailto:a@b")),
            ("any", "{\"a\":[1,2.5,null,true,\"x\"]}", .dictionary(["a": [1, 2.5, .null, true, "x"]])),
            ("any", "\"text\"", "text"), ("string", "null", .null), ("place", "null", .null),
            ("place", "{\"zip\":5}", .dictionary(["city": "Ulm", "zip": 5, "_code": .null])),
            ("place", "{\"city\":null,\"__code\":\"x\"}", .dictionary(["city": .null, "zip": .null, "_code": "x"])),
        ] as [(String, String, Value)]
    )
    func taken(_ name: String, _ json: String, _ expected: Value) throws {
        let (value, details) = try read(name, json)
        #expect(value == expected)
        #expect(details == [])
    }

    @Test(
        "an invalid value is reported with the expected type",
        arguments: [
            ("int16", "32768", "range", "int16 is of type Int16, for which 32768 is too large."),
            ("int32", "-2147483649", "range", "int32 is of type Int32, for which -2147483649 is too large."),
            (
                "int64", "9223372036854775808", "range",
                "int64 is of type Int64, for which 9223372036854775808 is too large."
            ),
            ("int64", "1.5", "type", "int64 takes an integer, not 1.5."),
            ("int64", "\"1\"", "type", "int64 takes an integer, not “1”."),
            ("double", "1e400", "range", "double is of type Double, for which 1e400 is too large."),
            ("float", "1e39", "range", "float is of type Float, for which 1e39 is too large."),
            ("bool", "1", "type", "bool takes true or false, not 1."),
            ("bool", "\"true\"", "type", "bool takes true or false, not “true”."),
            ("string", "5", "type", "string takes a string, not 5."),
            ("decimal", "\"1.\"", "type", "decimal takes a decimal number, preferably as a string, not “1.”."),
            ("decimal", "\"NaN\"", "type", "decimal takes a decimal number, preferably as a string, not “NaN”."),
            (
                "decimal", "123456789012345678901234567890123456789", "range",
                "decimal takes at most 38 digits, and an exponent from -128 to 127."
            ),
            ("decimal", "1e999999999", "range", "decimal takes at most 38 digits, and an exponent from -128 to 127."),
            (
                "date", "\"26-11-21\"", "type",
                "date takes a date such as 2026-11-21T09:30:00.25Z or 2026-11-21, not “26-11-21”."
            ),
            (
                "date", "\"2026-02-30T00:00:00Z\"", "type",
                "date takes a date such as 2026-11-21T09:30:00.25Z or 2026-11-21, not “2026-02-30T00:00:00Z”."
            ),
            ("date", "5", "type", "date takes a date such as 2026-11-21T09:30:00.25Z or 2026-11-21, not 5."),
            ("binary", "\"a\"", "type", "binary takes bytes in base64, not “a”."),
            (
                "uuid", "\"0d9f1c3e\"", "type",
                "uuid takes a UUID such as 0d9f1c3e-6c3a-4bd3-8f6f-2f1d6d1e7a10, not “0d9f1c3e”."
            ),
            ("any", "[1e999]", "range", "any is of type Transformable, for which 1e999 is too large."),
            ("place", "[]", "type", "place takes an object with city, zip, __code, not an array."),
            ("place", "{\"zip\":70000}", "range", "place.zip is of type Int16, for which 70000 is too large."),
            ("place", "{\"ciry\":1}", "unknown", "place has no element “ciry”. Did you mean “city”?"),
            ("place", "{\"_code\":\"x\"}", "unknown", "place has no element “_code”. Did you mean “__code”?"),
        ]
    )
    func refused(_ name: String, _ json: String, _ code: String, _ message: String) throws {
        let (value, details) = try read(name, json)
        #expect(value == nil)
        #expect(details.map(\.code) == [code])
        #expect(details.map(\.message) == [message])
        #expect(details.first?.object == "things/1")
    }

    @Test("all invalid values are reported with their positions")
    func places() throws {
        let (_, details) = try read("place", "{\"city\": 1,\n  \"zip\": \"x\"}")
        #expect(details.map(\.property) == ["place.city", "place.zip"])
        #expect(details.map { $0.extras["pointer"]?.string } == ["/place/city", "/place/zip"])
        #expect(details.map { $0.extras["line"]?.int64 } == [1, 2])
        #expect(details.map { $0.extras["column"]?.int64 } == [10, 10])
    }

    @Test("extremely long decimals are refused quickly", arguments: ["1", "1.", "0.", "1e"])
    func hostile(_ start: String) throws {
        let (value, details) = try read("decimal", "\"\(start)\(String(repeating: "9", count: 1_000_000))\"")
        #expect(value == nil)
        #expect(details.count == 1)
        #expect((details.first?.message.utf8.count ?? 0) < 200)
    }

    @Test("a date sent back as shown keeps its stored precision")
    func shownDates() throws {
        let thing = try #require(try ManagedObjectModel(Self.model).entity(named: "Thing"))
        let (date, any) = (try #require(thing.attribute(named: "date")), try #require(thing.attribute(named: "any")))
        let stored = seconds(800_000_000.123_456_7)
        let text = "2026-05-09T06:13:20.123457Z"
        let shown = try #require(Date(rfc3339: text))
        #expect(shown != stored)
        #expect(date.value(.date(shown), inPlaceOf: .date(stored)) == .date(stored))
        let members = Value.dictionary(["at": .date(stored)])
        #expect(any.value(.dictionary(["at": .string(text)]), inPlaceOf: members) == members)
        let other = seconds(800_000_000.123_456)
        #expect(date.value(.date(other), inPlaceOf: .date(stored)) == .date(other))
    }
}

private let uuid = Value.uuid(UUID(uuidString: "0D9F1C3E-6C3A-4BD3-8F6F-2F1D6D1E7A10") ?? UUID())

private func seconds(_ interval: Double) -> Date { Date(timeIntervalSinceReferenceDate: interval) }

private func digits(_ text: String) -> Decimal { Decimal(string: text) ?? .nan }
