// SPDX-License-Identifier: Apache-2.0

// The OpenAPI document under access rules.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Testing

@testable import RESTAPI

@Suite("The OpenAPI document under access rules")
struct AccessDescriptionTests {
    private static let access = """
        {
          "identity": {"anonymous": "public"},
          "roles": {"public": {}, "writer": {"extends": ["public"]}, "admin": {"administers": true}},
          "rules": {
            "Post": {
              "read": {"public": "published == YES"},
              "create": {"writer": true},
              "update": {"writer": "published == NO"},
              "properties": {"views": {"write": []}},
              "set": {"title": "New"}
            },
            "Tag": {"read": {"public": true}}
          }
        }
        """

    private func each(_ body: (APIWorld) throws -> Void) throws { try APIWorld.each(access: Self.access, body) }

    /// The methods of the paths that begin with one.
    private func methods(_ document: Answer, below path: String) -> [String: [String]] {
        let paths = document["paths"]?.object?.members.filter { $0.name == path || $0.name.hasPrefix(path + "/") } ?? []
        return Dictionary(
            uniqueKeysWithValues: paths.map { item in
                (String(item.name.dropFirst(path.count)), item.value.object?.names.filter { $0 != "parameters" } ?? [])
            }
        )
    }

    @Test("those that may only read get a document without writes")
    func reading() throws {
        try each { world throws in
            let document = try world.send(as: nil, .get, "/openapi.json")
            let posts = methods(document, below: "/api/posts")
            #expect(posts[""] == ["get"] && posts["/{key}"] == ["get"] && posts["/fetch"] == ["post"])
            #expect(posts["/batch-insert"] == nil && posts["/batch-update"] == nil && posts["/batch-delete"] == nil)
            #expect(posts["/{key}/tags"] == ["get"] && posts["/{key}/tags/{target}"] == nil)
            #expect(document["paths"]?["/api/transaction"] == nil)
            let schemas = try #require(document["components"]?["schemas"]?.object?.names)
            #expect(schemas.contains("Post") && !schemas.contains("PostCreate") && !schemas.contains("PostPatch"))
        }
    }

    @Test("each verb that a rule permits is described, with the properties that may be written")
    func writing() throws {
        try each { world throws in
            let document = try world.send(as: "writer", .get, "/openapi.json")
            let posts = methods(document, below: "/api/posts")
            #expect(posts[""] == ["get", "post"] && posts["/{key}"] == ["get", "patch", "put"])
            #expect(posts["/batch-insert"] != nil && posts["/batch-update"] != nil && posts["/batch-delete"] == nil)
            #expect(posts["/{key}/tags"] == ["get", "put", "post"])
            let tags = methods(document, below: "/api/tags")
            #expect(tags[""] == ["get"] && tags["/{key}"] == ["get"])
            let schemas = try #require(document["components"]?["schemas"])
            #expect(schemas["PostAttributes"]?["properties"]?["views"] == nil)
            #expect(schemas["PostPatchFields"]?["properties"]?["views"] == nil)
            #expect(schemas["Post"]?["allOf"]?.array?.last?["properties"]?["views"] != nil)
            // A value that the rules set needn't be sent.
            #expect(schemas["PostAttributes"]?["properties"]?["title"] != nil)
            #expect(schemas["PostAttributes"]?["required"]?.array?.contains("title") != true)
            // Tags can be referred to, not created.
            let member = schemas["TagMember"]?["anyOf"]?.array ?? schemas["TagMember"].map { [$0] }
            #expect(member?.contains(["$ref": "#/components/schemas/TagCreate"]) == false, "\(member ?? [])")
            #expect(schemas["TagCreate"] == nil)
            let links = document["components"]?["responses"]?["NewPost"]?["links"]?.object?.names
            #expect(links == ["getPost", "updatePost"])
        }
    }

    private static let people = Model {
        Entity("Person", userInfo: ["path": "people"]) {
            Attribute("name", .string)
            Attribute("note", .string).optional()
        }
        Entity("Employee", parent: "Person", userInfo: ["path": "employees"]) {
            Attribute("salary", .int64).default(0)
            Relationship("team", toOne: "Team", inverse: "members")
        }
        Entity("Team", userInfo: ["path": "teams"]) {
            Relationship("members", toMany: "Employee", inverse: "team").optional()
        }
    }

    @Test("properties that a subentity inherits are described by its own rules")
    func inheritedProperties() throws {
        let access = """
            {
              "roles": {"hr": {}, "editor": {}},
              "rules": {
                "Person": {
                  "read": {"hr": true, "editor": true}, "create": {"hr": true, "editor": true},
                  "update": {"hr": true, "editor": true}, "properties": {"name": {"write": ["editor"]}}
                },
                "Employee": {
                  "properties": {"name": {"write": ["hr"]}, "note": {"write": ["hr"]}},
                  "set": {"name": "New", "team": null}
                },
                "Team": {"read": {"hr": true, "editor": true}}
              }
            }
            """
        let fillNothing: (PersistentStoreCoordinator) -> Void = { _ in }
        try APIWorld.each(Self.people, access: access, filling: fillNothing) { world throws in
            func schemas(_ role: String) throws -> JSONValue {
                try #require(try world.send(as: role, .get, "/openapi.json")["components"]?["schemas"])
            }
            func names(_ schema: JSONValue?) -> [String] {
                let parts = [schema] + (schema?["allOf"]?.array ?? [])
                return parts.flatMap { $0?["properties"]?.object?.names ?? [] }.sorted()
            }
            let hr = try schemas("hr")
            #expect(names(hr["PersonAttributes"]) == ["note"])
            #expect(
                names(hr["EmployeeAttributes"]) == ["name", "note", "salary"],
                "\(hr["EmployeeAttributes"] ?? .null)"
            )
            #expect(names(hr["EmployeePatchFields"]) == ["name", "note", "salary"])
            // What the rules set in new objects, a replacement must have.
            func required(_ name: String) -> [String] {
                let parts = [hr[name]] + (hr[name]?["allOf"]?.array ?? [])
                return parts.flatMap { $0?["required"]?.array?.compactMap(\.string) ?? [] }
            }
            #expect(!required("EmployeeAttributes").contains("name") && required("EmployeeReplace").contains("name"))
            #expect(!required("EmployeeRowReferences").contains("team"), "\(hr["EmployeeRowReferences"] ?? .null)")
            let editor = try schemas("editor")
            #expect(names(editor["PersonAttributes"]) == ["name", "note"])
            #expect(names(editor["EmployeeAttributes"]) == ["salary"], "\(editor["EmployeeAttributes"] ?? .null)")
        }
    }

    @Test("the document of those that administer is whole")
    func administration() throws {
        try each { world throws in
            let document = try world.send(as: "admin", .get, "/openapi.json")
            #expect(methods(document, below: "/api/posts")["/{key}"] == ["get", "patch", "put", "delete"])
            #expect(document["paths"]?["/api/users"] != nil && document["paths"]?["/api/transaction"] != nil)
        }
    }

    @Test("every reference in a document exists, whoever gets it", arguments: [nil, "writer", "admin"])
    func references(role: String?) throws {
        try each { world throws in
            let document = try #require(try world.send(as: role, .get, "/openapi.json").json)
            for reference in Set(document.references) {
                let steps = reference.split(separator: "/").dropFirst().map(String.init)
                #expect(steps.reduce(document as JSONValue?) { $0?[$1] } != nil, "\(reference)")
            }
            let operations = document["paths"]?.object?.members.flatMap { $0.value.object?.members.map(\.value) ?? [] }
            let names = Set(operations?.compactMap { $0["operationId"]?.string } ?? [])
            for response in document["components"]?["responses"]?.object?.members ?? [] {
                for link in response.value["links"]?.object?.members ?? [] {
                    #expect(names.contains(link.value["operationId"]?.string ?? ""), "\(link.name)")
                }
            }
        }
    }

    @Test("the index names what can be done with an entity, where that isn't everything")
    func verbs() throws {
        try each { world throws in
            func entry(as role: String?, _ entity: String) throws -> JSONValue? {
                let entities = try world.send(as: role, .get, "/api")["entities"]?.array
                return entities?.first { $0["name"]?.string == entity }
            }
            func verbs(as role: String?, _ entity: String) throws -> [String]? {
                try entry(as: role, entity)?["verbs"]?.array?.compactMap(\.string)
            }
            // What it derives the number from is hidden.
            let readOnly = try entry(as: "writer", "Post")?["readOnly"]
            #expect(
                readOnly?.array?.contains("views") == true && readOnly?.array?.contains("commentCount") == true,
                "\(readOnly ?? .null)"
            )
            #expect(try entry(as: "writer", "Post")?["set"] == ["title"])
            #expect(try entry(as: "admin", "Post")?["readOnly"] == nil)
            #expect(try verbs(as: nil, "Post") == ["read"])
            #expect(try verbs(as: "writer", "Post") == ["read", "create", "update"])
            #expect(try verbs(as: "writer", "Tag") == ["read"])
            #expect(try verbs(as: "admin", "Post") == nil)
        }
    }
}
