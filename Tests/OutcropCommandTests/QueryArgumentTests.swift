// SPDX-License-Identifier: Apache-2.0

// Arguments of `outcrop store query`, and the names of objects that it takes and shows.

import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Arguments of queries")
struct QueryArgumentTests {
    private static let model = #"""
        {"entities": {
          "Event": {"attributes": {"name": "String?", "start": "Date?", "code": "UUID?", "price": "Decimal?",
            "photo": "Binary?"}, "relationships": {"place": "Place?.events"}},
          "Concert": {"parent": "Event"},
          "Place": {"attributes": {"name": "String"}, "relationships": {"events": {"toMany": "Event", "inverse": "place"}}}
        }}
        """#

    private static let lines = #"""
        {"_id":"Place/1","_entity":"Place","name":"Hall"}
        {"_id":"Event/1","_entity":"Event","name":"a","start":"2018-05-01T10:00:00Z","price":"1.1","place":"Place/1"}
        {"_id":"Concert/2","_entity":"Concert","name":"b","start":"2019-05-01T10:00:00Z","photo":"AP8="}
        {"_id":"Event/3","_entity":"Event","name":"c","code":"6F9619FF-8B86-4D01-B42D-00CF4FC964FF"}

        """#

    private static func withStore(_ body: (_ store: String) throws -> Void) throws {
        try ImportedStore.with(lines, of: model) { _, store in try body(store) }
    }

    private static func query(_ store: String, _ condition: String, _ arguments: [String]) -> Program.Result {
        let options = arguments.flatMap { ["--arg", $0] }
        let words = [
            "store", "query", store, "Event", "--select", "name", "--sort", "name", "--json", "--where", condition,
        ]
        return Program.run(words + options, on: .plain)
    }

    @Test(
        "an argument is converted to the type of what it is compared with",
        arguments: [
            ("start > %@", ["\"2019-01-01\""], ["b"]), ("start == %@", ["\"2018-05-01T10:00:00Z\""], ["a"]),
            ("start BETWEEN %@", ["[\"2018-01-01\", \"2019-12-31\"]"], ["a", "b"]),
            ("code == %@", ["\"6f9619ff-8b86-4d01-b42d-00cf4fc964ff\""], ["c"]), ("price == %@", ["1.1"], ["a"]),
            ("price == %@", ["\"1.1\""], ["a"]), ("photo == %@", ["\"AP8=\""], ["b"]),
            ("%K == %@", ["\"place.name\"", "\"Hall\""], ["a"]), ("name IN %@", ["[\"a\", \"c\"]"], ["a", "c"]),
            ("name == %@ OR start < %@", ["\"c\"", "\"2019-01-01\""], ["a", "c"]), ("start == %@", ["null"], ["c"]),
        ]
    )
    func converted(condition: String, arguments: [String], names: [String]) throws {
        try Self.withStore { store in
            let result = Self.query(store, condition, arguments)
            #expect(result.json?.array?.compactMap { $0["name"]?.string } == names, "\(result)")
        }
    }

    @Test(
        "an object is compared with its reference, the end of its URI, or its whole URI",
        arguments: [
            ("SELF == %@", ["\"Event/3\""], ["c"]), ("SELF == %@", ["\"Event/p3\""], ["c"]),
            ("SELF == %@", ["\"Concert/2\""], ["b"]), ("SELF == %@", ["\"Event/2\""], ["b"]),
            ("SELF IN %@", ["[\"Event/1\", \"Event/p2\"]"], ["a", "b"]), ("place == %@", ["\"Place/1\""], ["a"]),
            ("objectID == %@", ["\"Event/p1\""], ["a"]),
        ]
    )
    func references(condition: String, arguments: [String], names: [String]) throws {
        try Self.withStore { store in
            let result = Self.query(store, condition, arguments)
            #expect(result.json?.array?.compactMap { $0["name"]?.string } == names, "\(result)")
            let identifier = outcrop("store", "query", store, "Event", "--select", "objectID", "--ndjson")
            let uri = try #require(
                try JSONValue(parsing: identifier.output.split(separator: "\n")[0].description)["objectID"]
            )
            #expect(Self.query(store, "SELF == %@", [uri.serialized()]).json?.array?.count == 1)
        }
    }

    @Test(
        "an argument that can't be converted is an error",
        arguments: [
            (
                "start > %@", "\"soon\"",
                "--arg: “soon” isn't a valid Date for “start”.\nWrite a date as 2026-11-21T09:30:00Z."
            ),
            ("SELF == %@", "\"Place/1\"", "--arg: “Place/1” is a Place, but an Event is expected."),
            ("SELF == %@", "\"nothing\"", "isn't a reference to an Event.\nWrite a reference as Event/1."),
            ("name == %@", "5", "compares"), ("price > %@", "\"many\"", "--arg: “many” isn't a valid"),
        ]
    )
    func refused(condition: String, argument: String, message: String) throws {
        try Self.withStore { store in
            let result = outcrop("store", "query", store, "Event", "--where", condition, "--arg", argument)
            #expect(result.status == .problems && result.output.isEmpty, "\(result)")
            #expect(result.errors.contains(message), "\(result.errors)")
        }
    }

    @Test("a table shows references as exports have them, and a query takes them")
    func shown() throws {
        try Self.withStore { store in
            let table = outcrop("store", "query", store, "Event", "--sort", "name", "--select", "objectID,name,place")
            #expect(
                table.output == "objectID   name  place\nEvent/1    a     Place/1\nConcert/2  b\nEvent/3    c",
                "\(table)"
            )
            let exported = outcrop("export", store, "--entity", "Event", "--sort", "name", "--select", "name")
            let names = try exported.output.split(separator: "\n").map {
                try JSONValue(parsing: String($0))["_id"]?.string
            }
            #expect(names == ["Event/1", "Concert/2", "Event/3"])
        }
    }
}
