// SPDX-License-Identifier: Apache-2.0

// The OpenAPI document of a model, made without a server.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import RESTAPI
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("outcrop openapi")
struct OpenAPICommandTests {
    private static let model = #"{"entities": {"Book": {"attributes": {"title": "String"}}}}"#

    @Test("openapi prints the document that a server responds with, with and without --json")
    func sameAsServed() throws {
        var settings = ServeSettings()
        settings.model = Files.demo
        settings.stores = [.memory]
        settings.api.version = Program.version
        let served = try API(ServedStack(opening: settings).coordinator, options: settings.api)
        let answer = served.respond(to: HTTPRequest(.get, "/openapi.json"))
        guard case .bytes(let bytes) = answer.body else {
            Issue.record("The answer has no bytes.")
            return
        }
        let printed = outcrop("openapi", Files.demo)
        #expect(printed.status == .fine && printed.errors.isEmpty)
        #expect(try JSONValue(parsing: printed.output) == JSONValue(parsing: bytes))
        #expect(outcrop("openapi", Files.demo, "--json").output == printed.output)
        #expect(outcrop("openapi", Files.demo, "-o", "-").output == printed.output)
    }

    @Test("the document of the demo model is short")
    func length() throws {
        let document = try JSONValue(parsing: outcrop("openapi", Files.demo).output)
        #expect(document.serialized().utf8.count < 210_000)
    }

    @Test("openapi writes to a new or empty file or over an older document, but over nothing else")
    func writing() throws {
        try Checkout.withFolder { folder in
            let (model, output) = (folder + "/Books.json", folder + "/openapi.json")
            try Files.write(Self.model, to: model)
            try Files.write("", to: output)
            #expect(outcrop("openapi", model, "-o", output).output == "Wrote \(output): 1 entity.")
            #expect(try String(contentsOfFile: output, encoding: .utf8) == outcrop("openapi", model).output + "\n")
            #expect(outcrop("openapi", Files.demo, "-o", output, "--json").json?["entities"]?.int64 == 7)
            for other in ["{}", "[1]", "openapi: 3.1.0", "\u{0}"] {
                try Files.write(other, to: output)
                let refused = outcrop("openapi", model, "-o", output)
                #expect(refused.status == .problems && refused.errors.contains("isn't an OpenAPI document"))
                #expect(try String(contentsOfFile: output, encoding: .utf8) == other)
            }
            #expect(outcrop("openapi", model, "-o", folder).status == .problems)
            #expect(outcrop("openapi", model, "-o", "").errors.contains("The path is empty"))
            #expect(outcrop("openapi", model, "-o", folder + "/none/x.json").errors.contains("doesn't exist"))
        }
    }

    @Test("openapi uses the model that a store carries")
    func store() throws {
        try Checkout.withFolder { folder in
            let (model, store) = (folder + "/Books.json", folder + "/Books.sqlite")
            try Files.write(Self.model, to: model)
            var settings = ServeSettings()
            settings.model = model
            settings.stores = [try StoreChoice(store)]
            _ = try ServedStack(opening: settings)
            #expect(outcrop("openapi", store).output == outcrop("openapi", model).output)
        }
    }

    @Test("openapi explains why a model has no API")
    func invalid() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Model.json"
            try Files.write(#"{"entities": {"Book": {"relationships": {"author": "Nobody"}}}}"#, to: path)
            let broken = outcrop("openapi", path)
            #expect(broken.status == .problems && broken.output.isEmpty)
            #expect(broken.errors.contains("Nobody") && broken.errors.contains("so it has no API"))
            let same = #"{"attributes": {"a": "String"}, "userInfo": {"path": "books"}}"#
            try Files.write(#"{"entities": {"A": \#(same), "B": \#(same)}}"#, to: path)
            let doubled = outcrop("openapi", path)
            #expect(doubled.status == .problems && doubled.errors.contains("books"))
            #expect(outcrop("openapi", folder + "/none.json").status == .problems)
            #expect(outcrop("openapi").status == .usage)
        }
    }
}
