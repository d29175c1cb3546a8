// SPDX-License-Identifier: Apache-2.0

// Which versions of the model clients may name, and what they are told otherwise.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@testable import RESTAPI

@Suite("Names of versions of the model")
struct VersionNameTests {
    static let names = [
        "App 1", "\"App 1\"", "1.0", "\"1.0\"", TwoVersions.former.versionName, TwoVersions.former.versionChecksum.hex,
    ]

    @Test("a version is named by its checksum, its identifier or its name in the file", arguments: names)
    func former(name: String) throws {
        try TwoVersions.each { world in
            let answer = try world.get("/api/articles/\(world.key("Faults"))", ["Accept-Model": name])
            #expect(answer["headline"] == "Faults", "\(answer.text)")
            #expect(answer.fields["Model-Version"] == TwoVersions.present.versionName)
        }
    }

    @Test(
        "naming the served version changes nothing",
        arguments: ["App 2", "2.0", TwoVersions.present.versionName, TwoVersions.present.versionChecksum.hex]
    )
    func served(name: String) throws {
        try TwoVersions.each { world in
            let path = "/api/posts/\(try world.key("Faults"))"
            let plain = try world.get(path)
            let named = try world.get(path, ["Accept-Model": name])
            #expect(named.status == 200)
            #expect(named.bytes == plain.bytes && named.fields[.etag] == plain.fields[.etag])
        }
    }

    @Test("a version that the server doesn't know is refused with those that it knows")
    func unknown() throws {
        try TwoVersions.each { world in
            let answer = try world.get("/api/posts", ["Accept-Model": "3.0"])
            #expect(answer.status == 409 && answer["code"] == "model-version")
            let hint = answer["hint"]?.string ?? ""
            #expect(hint.contains("App 1 (\(TwoVersions.former.versionName))"))
            #expect(hint.contains("App 2 (\(TwoVersions.present.versionName))"))
            #expect(answer.fields["Model-Version"] == TwoVersions.present.versionName)
            #expect(answer.fields.values(of: .vary).contains("Accept-Model"))
        }
    }

    @Test("answers about the server don't depend on the version", arguments: ["/healthz", "/readyz", "/api/stats"])
    func server(path: String) throws {
        try TwoVersions.each { world in
            let answer = try world.get(path, ["Accept-Model": "3.0"])
            #expect(answer.status == 200)
        }
    }

    @Test("an identifier that several former versions have is ambiguous")
    func ambiguous() throws {
        var options = APIOptions()
        var second = TwoVersions.former
        second.entities[0].attributes.append(Attribute(name: "email", type: .string, isOptional: true))
        options.modelVersions = [
            ModelVersion(name: "A", model: TwoVersions.former), ModelVersion(name: "B", model: second),
        ]
        try APIWorld.each(TwoVersions.present, options: options, filling: TwoVersions.fill) { world in
            #expect(try world.get("/api/articles", ["Accept-Model": "A"]).status == 200)
            #expect(try world.get("/api/articles", ["Accept-Model": "B"]).status == 200)
            let answer = try world.get("/api/articles", ["Accept-Model": "1.0"])
            #expect(answer.status == 409 && answer["code"] == "model-version")
        }
    }

    @Test("a version whose clients would lose something is refused with the differences")
    func differing() throws {
        var options = APIOptions()
        var former = TwoVersions.former
        former.entities[1].attributes[1].type = .int64
        former.entities[1].attributes.append(Attribute(name: "mood", type: .string, isOptional: true))
        options.modelVersions = [ModelVersion(name: "App 0", model: former)]
        try APIWorld.each(TwoVersions.present, options: options, filling: TwoVersions.fill) { world in
            let answer = try world.get("/api/articles", ["Accept-Model": "App 0"])
            #expect(answer.status == 409 && answer["code"] == "model-version")
            let errors = answer["errors"]?.array ?? []
            #expect(
                errors.map { $0["message"]?.string } == [
                    "Article.views: type Int64 → Int32", "Article.mood: attribute removed",
                ]
            )
            #expect(errors.map { $0["object"]?.string } == ["Article", "Article"])
            #expect(errors.map { $0["property"]?.string } == ["views", "mood"])
            #expect(errors.map { $0["code"]?.string } == ["type", "removed"])
        }
    }

    @Test("clients of a later version than the served one are served too")
    func later() throws {
        var options = APIOptions()
        options.modelVersions = TwoVersions.versions
        func fill(_ coordinator: PersistentStoreCoordinator) throws {
            try coordinator.withContext { context in
                let article = try context.insert("Article")
                try article.setValue("Old", forKey: "headline")
                try context.save()
            }
        }
        var later = TwoVersions.former
        later.entities[1].attributes[0].name = "title"
        later.entities[1].attributes[0].renamingIdentifier = "headline"
        options.modelVersions = [
            ModelVersion(name: "App 1", model: TwoVersions.former), ModelVersion(name: "App 2", model: later),
        ]
        try APIWorld.each(TwoVersions.former, options: options, filling: fill) { world in
            let answer = try world.get("/api/articles", ["Accept-Model": "App 2"])
            #expect(answer["items"]?.array?.first?["title"] == "Old")
        }
    }

    @Test("the model, the index, the schemas and the document are those of the version")
    func descriptions() throws {
        try TwoVersions.each { world in
            let model = try world.former(.get, "/api/model")
            #expect(try ModelFile(json: model.bytes, name: "App").current.model == TwoVersions.former)
            let names = try world.former(.get, "/api")["entities"]?.array?.map { $0["name"]?.string }
            #expect(names == ["Author", "Article", "Tag"])
            let document = try world.former(.get, "/openapi.json")
            #expect(document["paths"]?["/api/articles"] != nil && document["paths"]?["/api/posts"] == nil)
            #expect(try document.fields[.etag] != world.get("/openapi.json").fields[.etag])
            let parameter: JSONValue = ["$ref": "#/components/parameters/acceptModel"]
            #expect(document["paths"]?["/api/articles"]?["parameters"]?.array?.contains(parameter) == true)
            #expect(try world.former(.get, "/schemas/Article")["title"] == "Article")
            #expect(try world.former(.get, "/schemas/Post").status == 404)
            let query = try world.former(.get, "/api/queries")["items"]?.array?.first
            #expect(query?["entity"] == "Article" && query?["predicate"] == "headline BEGINSWITH $TEXT")
        }
    }
}
