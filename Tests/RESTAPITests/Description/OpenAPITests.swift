// SPDX-License-Identifier: Apache-2.0

// The OpenAPI document, and the consistency of its paths, names and schemas.

import AtomicStores
import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import TestSupport
import Testing

@testable import RESTAPI

@Suite("OpenAPI document")
struct OpenAPITests {
    static func api(_ model: Model = Blog.model) throws -> API {
        let model = try ManagedObjectModel(model)
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(InMemoryStore(model: model))
        return try API(coordinator)
    }

    private let document: JSONValue

    init() throws {
        document = try Self.api().openAPIDocument
    }

    private func operation(_ method: String, _ path: String) throws -> JSONValue {
        try #require(document["paths"]?[path]?[method], "\(method) \(path)")
    }

    /// The statuses of an operation's problems.
    private func problems(_ method: String, _ path: String) throws -> [String] {
        let reference = try operation(method, path)["responses"]?["default"]?["$ref"]?.string?.split(separator: "/")
            .last
        let name = try #require(reference.map(String.init))
        let text = try #require(document["components"]?["responses"]?[name]?["description"]?.string)
        return text.split { $0 == " " || $0 == "," }.map(String.init)
    }

    private func schema(_ name: String) throws -> JSONValue {
        try #require(document["components"]?["schemas"]?[name], "\(name)")
    }

    /// The properties that a schema adds to those of its parts.
    private func own(_ name: String) throws -> JSONValue { try #require(try schema(name)["allOf"]?.array?.last) }

    @Test("the document is deterministic")
    func isDeterministic() throws {
        let documents = try (1...2).map { _ in try Self.api().openAPIDocument.serialized() }
        #expect(documents[0] == documents[1])
    }

    @Test(
        "the document has every route of an entity, with the model's path",
        arguments: [
            ("/api/posts", ["get", "post"]), ("/api/posts/fetch", ["post"]), ("/api/posts/batch-insert", ["post"]),
            ("/api/posts/batch-update", ["post"]), ("/api/posts/batch-delete", ["post"]),
            ("/api/posts/{key}", ["get", "patch", "put", "delete"]), ("/api/posts/{key}/author", ["get", "put"]),
            ("/api/posts/{key}/tags", ["get", "put", "post"]), ("/api/posts/{key}/tags/{target}", ["put", "delete"]),
            ("/api/posts/{key}/picture", ["get", "put", "delete"]), ("/api/posts/{key}/others", ["get"]),
            ("/api/transaction", ["post"]), ("/api/queries", ["get"]), ("/api/queries/popular", ["get"]),
            ("/api", ["get"]), ("/api/model", ["get", "post"]), ("/api/stats", ["get"]), ("/openapi.json", ["get"]),
            ("/schemas/{entity}", ["get"]), ("/problems", ["get"]), ("/problems/{code}", ["get"]),
            ("/healthz", ["get"]), ("/readyz", ["get"]), ("/metrics", ["get"]),
        ]
    )
    func routes(path: String, methods: [String]) throws {
        let item = try #require(document["paths"]?[path]?.object)
        #expect(item.names.filter { $0 != "parameters" } == methods)
    }

    @Test("each operation has a unique name")
    func operationNames() throws {
        let paths = try #require(document["paths"]?.object)
        let names = paths.members.flatMap { path in
            path.value.object?.members.compactMap { $0.value["operationId"]?.string } ?? []
        }
        #expect(names.count > 80)
        #expect(Set(names.map { $0.lowercased() }).count == names.count)
    }

    /// Whether a POST there changes something.
    private static func changes(_ path: String) -> Bool {
        !path.hasSuffix("/fetch") && !path.hasSuffix("/validate") && !path.hasPrefix("/api/hooks/")
    }

    @Test("exactly the changing POST operations accept an Idempotency-Key")
    func repeatedRequests() throws {
        for path in try #require(document["paths"]?.object).members {
            for operation in path.value.object?.members ?? [] where operation.name != "parameters" {
                let references = operation.value["parameters"]?.array?.map { $0["$ref"]?.string } ?? []
                let takesKey = references.contains("#/components/parameters/idempotencyKey")
                #expect(takesKey == (operation.name == "post" && Self.changes(path.name)), "\(path.name)")
            }
        }
    }

    @Test("every reference in the document exists, and every component is referred to")
    func references() throws {
        let all = Set(document.references)
        #expect(all.count > 50)
        for reference in all {
            let steps = reference.split(separator: "/").dropFirst().map(String.init)
            #expect(steps.reduce(document as JSONValue?) { $0?[$1] } != nil, "\(reference)")
        }
        for (kind, parts) in try #require(document["components"]?.object).members.map({ ($0.name, $0.value) }) {
            for name in parts.object?.names ?? [] {
                #expect(all.contains("#/components/\(kind)/\(name)"), "\(kind)/\(name)")
            }
        }
    }

    @Test("an abstract entity has no operation that creates objects")
    func abstractEntities() throws {
        #expect(document["paths"]?["/api/Contact"]?.object?.names == ["get"])
        #expect(document["components"]?["schemas"]?["ContactCreate"] == nil)
        #expect(document["paths"]?["/api/Contact/batch-insert"] == nil)
    }

    @Test("_entity is the discriminator of an entity's subentities")
    func inheritance() throws {
        let contact = try schema("Contact")
        #expect(
            contact == [
                "oneOf": [["$ref": "#/components/schemas/User"], ["$ref": "#/components/schemas/Group"]],
                "discriminator": [
                    "propertyName": "_entity",
                    "mapping": [
                        "User": "#/components/schemas/User", "Group": "#/components/schemas/Group",
                    ],
                ],
            ]
        )
        let user = try schema("User")
        #expect(user["allOf"]?[0] == ["$ref": "#/components/schemas/StoredObject"])
        #expect(user["allOf"]?[1] == ["$ref": "#/components/schemas/ContactFields"])
        #expect(user["allOf"]?[2]?["properties"]?["_entity"]?["const"] == "User")
    }

    @Test("an empty parameter value is described as nil, except for texts")
    func emptyValues() throws {
        let parameters = try #require(try operation("get", "/api/posts")["parameters"]?.array)
        let empty: JSONValue = ["type": "string", "maxLength": 0]
        for (name, isEmptyTold) in [("uuid", true), ("views", true), ("author", true), ("title", false)] {
            let parameter = try #require(parameters.first { $0["name"]?.string == name })
            #expect(parameter["schema"]?["anyOf"]?.array?.contains(empty) ?? false == isEmptyTold, "\(name)")
        }
    }

    @Test("the schema of each attribute describes its values")
    func attributes() throws {
        let post = try #require(try schema("PostAttributes")["properties"])
        #expect(post["title"]?["minLength"] == 1)
        #expect(post["title"]?["maxLength"] == 100)
        #expect(post["title"]?["description"] == "Length in UTF-16 units: at least 1, at most 100.")
        #expect(post["title"]?["default"] == "Untitled")
        #expect(post["views"]?["minimum"] == 0)
        #expect(post["views"]?["format"] == "int64")
        #expect(post["uuid"]?["type"] == ["string", "null"])
        #expect(post["uuid"]?["format"] == "uuid")
        #expect(post["picture"]?["anyOf"]?[0] == ["$ref": "#/components/schemas/Base64Input"])
        #expect(try schema("Base64Input")["contentEncoding"] == "base64")
        #expect(post["extra"] == [:])
        #expect(post["__hidden"]?["type"] == ["string", "null"])
        #expect(post["draft"] == nil, "Transient attributes are in editing contexts alone.")
        #expect(post["commentCount"] == nil, "Derived attributes can't be written.")
        #expect(try own("Post")["properties"]?["commentCount"]?["readOnly"] == true)
        #expect(try own("Comment")["properties"]?["text"]?["type"] == "string")
        #expect(try schema("PostCreate")["unevaluatedProperties"] == false)
        #expect(try own("CommentCreate")["required"] == ["post"])
        #expect(try schema("CommentAttributes")["required"] == ["text"])
    }

    @Test("objects created in a relationship need no value for its inverse")
    func nestedCreation() throws {
        func part(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }
        let comments = try schema("PostRelationships")["properties"]?["comments"]
        #expect(comments?["anyOf"]?[0]?["items"] == part("CommentMemberWithoutPost"))
        #expect(comments?["anyOf"]?[1] == part("CommentChangesWithoutPost"))
        let pages = try schema("PostRelationships")["properties"]?["pages"]
        #expect(pages?["anyOf"]?[1] == part("PageOrderedChangesWithoutPost"))
        #expect(
            try schema("CommentChangesWithoutPost")["properties"]?["add"]?["items"] == part("CommentMemberWithoutPost")
        )
        let member = try schema("CommentMemberWithoutPost")["anyOf"]?.array
        #expect(member?.contains(part("CommentCreateWithoutPost")) == true)
        #expect(member?.contains(part("CommentCreate")) == false)
        let made = try schema("CommentCreateWithoutPost")
        #expect(try own("CommentCreateWithoutPost")["required"] == nil)
        // It may name the object that contains it.
        #expect(made["allOf"]?.array?.dropLast() == [part("CommentAttributes"), part("CommentRelationships")])
        #expect(try schema("CommentRelationships")["properties"]?["post"] != nil)
        #expect(try schema("CommentRelationships")["properties"]?["author"] != nil)
        // Another operation of a transaction can add a comment to its post.
        let values = try schema("CommentInsertOperation")["properties"]?["values"]
        #expect(values?["required"] == nil)
        #expect(values?["allOf"] == made["allOf"])
        // Tags need no inverse value, since both sides are to-many and optional.
        let tags = try schema("PostRelationships")["properties"]?["tags"]
        #expect(tags?["anyOf"]?[0]?["items"] == part("TagMember"))
        let body = try operation("post", "/api/posts/{key}/comments")["requestBody"]?["content"]?["application/json"]
        #expect(body?["schema"]?["anyOf"]?[0] == part("CommentMemberWithoutPost"))
        try APIWorld.each { world throws in
            let posts = try (1...3).map { number in
                try #require(try world.send(.post, "/api/posts", #"{"title":"\#(number)"}"#)["_id"]?.string)
            }
            let transaction = #"""
                {"operations":[{"insert":"comments","id":"$c","values":{"text":"x"}},{"update":"\#(posts[2])","values":{"comments":["$c"]}}]}
                """#
            for (method, path, body) in [
                (.post, "/api/posts", #"{"title":"t","comments":[{"text":"x"}]}"#),
                (.post, "/api/posts", #"{"_id":"$p","title":"t","comments":[{"text":"x","post":"$p"}]}"#),
                (.patch, "/api/\(posts[0])", "{\"comments\":[{\"text\":\"x\",\"post\":\"\(posts[0])\"}]}"),
                (.patch, "/api/\(posts[1])", "{\"comments\":[{\"text\":\"x\",\"post\":{\"_id\":\"\(posts[1])\"}}]}"),
                (.post, "/api/transaction", transaction),
            ] as [(HTTPMethod, String, String)] {
                let answer = try world.send(method, path, body)
                #expect([200, 201].contains(answer.status), "\(answer.text)")
            }
        }
    }

    @Test("objects in relationships may be named by the unique values of their entity")
    func uniqueReferences() throws {
        let reference: JSONValue = ["$ref": "#/components/schemas/UserUniqueReference"]
        #expect(try schema("UserMember")["anyOf"]?.array?.contains(reference) == true)
        let values = try schema("UserUniqueReference")["properties"]?["_id"]
        #expect(values?["required"] == ["email"] && values?["additionalProperties"] == false)
        #expect(document["components"]?["schemas"]?["PostUniqueReference"] == nil)
        #expect(try schema("TransactionAnswer")["properties"]?["updated"]?["items"] == ["type": "string"])
    }

    @Test("the schema of decimals accepts exactly the numbers with 38 digits that the API accepts")
    func decimals() throws {
        let price = try schema("PostAttributes")["properties"]?["price"]?["anyOf"]?[0]
        #expect(price == ["$ref": "#/components/schemas/DecimalInput"])
        let pattern = try Regex(try #require(try schema("DecimalInput")["pattern"]?.string))
        let (nines, ten) = (String(repeating: "9", count: 38), String(repeating: "9", count: 10))
        let taken = [
            "0", "-1.5", nines, "-\(nines)", "12345678901234567890.123456789012345678", "0.\(nines)",
            "\(ten).\(nines.dropFirst(10))", "9.\(nines.dropFirst())e-89", "\(nines)e+89", "1e5", "1e100", "1e-128",
            "-0",
            "1" + String(repeating: "0", count: 100), "0.\(String(repeating: "0", count: 127))1", "\(nines)e127",
        ]
        let refused = ["\(nines)9", "\(ten).\(nines.dropFirst(9))", "0.\(nines)9", "NaN", "1.", ".5"]
        for text in taken + refused {
            let isTaken = taken.contains(text)
            #expect((text.wholeMatch(of: pattern) != nil) == isTaken, "\(text)")
            if case .number = Decimal.reading(text) {
                #expect(isTaken, "\(text)")
            } else {
                #expect(!isTaken, "\(text)")
            }
        }
    }

    @Test("the schema of a non-negative decimal accepts -0, and decimals are accepted as they are shown")
    func boundDecimals() throws {
        let model = Model { Entity("Item") { Attribute("price", .decimal).optional().atLeast(0) } }
        let document = try Self.api(model).openAPIDocument
        let schemas = document["components"]?["schemas"]
        let price = schemas?["ItemPatchFields"]?["properties"]?["price"]?["anyOf"]
        #expect(price?[0] == ["$ref": "#/components/schemas/PositiveDecimalInput"])
        let pattern = try Regex(try #require(schemas?["PositiveDecimalInput"]?["pattern"]?.string))
        for text in ["0", "-0", "-0.0", "1.5", "1e100"] { #expect(text.wholeMatch(of: pattern) != nil, "\(text)") }
        for text in ["-1", "-0.1", "-"] { #expect(text.wholeMatch(of: pattern) == nil, "\(text)") }
        try APIWorld.each { world throws in
            let post = try world.post("Undo")
            for text in ["1e100", "1e-128", "-0"] {
                let answer = try world.send(.patch, "/api/\(post)", "{\"price\":\"\(text)\"}")
                let shown = try #require(answer["price"]?.string, "\(answer.text)")
                #expect(try world.send(.patch, "/api/\(post)", "{\"price\":\"\(shown)\"}").status == 200)
            }
        }
    }

    @Test("the schema of a fetch body accepts null as no value")
    func fetchNulls() throws {
        let fetch = try #require(try schema("Fetch")["properties"])
        #expect(fetch["args"]?["type"] == ["array", "null"])
        #expect(fetch["vars"]?["type"] == ["object", "null"])
        #expect(fetch["where"]?["type"] == ["string", "null"])
    }

    @Test("a deletion may be answered with 422")
    func deletions() throws {
        #expect(try problems("delete", "/api/posts/{key}").contains("422"))
        #expect(try !problems("get", "/api/posts/{key}").contains("422"))
    }

    @Test("objects of a subentity name their entity where several are possible")
    func kindsInBodies() throws {
        let model = Model {
            Entity("Contact", isAbstract: true) { Attribute("name", .string).optional() }
            Entity("User", parent: "Contact") { Attribute("email", .string) }
            Entity("Letter") {
                Relationship("sender", toOne: "User").optional()
                Relationship("receiver", toOne: "Contact").optional()
            }
        }
        let schemas = try #require(try Self.api(model).openAPIDocument["components"]?["schemas"])
        let user: JSONValue = ["$ref": "#/components/schemas/UserCreateKind"]
        #expect(schemas["ContactMember"]?["anyOf"]?.array?.contains(user) == true)
        #expect(schemas["UserMember"]?["anyOf"]?.array?.contains(user) == false)
        #expect(schemas["UserCreateKind"]?["allOf"]?.array?.last?["required"] == ["_entity"])
        #expect(schemas["UserCreateKind"]?["unevaluatedProperties"] == false)
        #expect(schemas["LetterCreateKind"] == nil)
    }

    @Test("a batch names its objects in exactly one way")
    func batches() throws {
        let something: JSONValue = ["not": ["type": "null"]]
        func present(_ name: String) -> JSONValue {
            .schema("object", required: [name], JSONObject([(name, something)]))
        }
        let deletion = try schema("PostBatchDelete")["allOf"]?.array
        #expect(deletion?[1] == ["oneOf": [present("where"), present("ids"), present("all")]])
        #expect(deletion?.first == ["$ref": "#/components/schemas/BatchSelection"])
        #expect(try schema("BatchSelection")["properties"]?["all"]?["not"] == ["const": false])
        #expect(try schema("PostBatchUpdate")["allOf"]?[1] == ["oneOf": [present("where"), present("all")]])
    }

    @Test("the fields of conditions have examples")
    func conditions() throws {
        for name in ["ifMatch", "ifNoneMatch"] {
            let parameter = try #require(document["components"]?["parameters"]?[name])
            #expect(parameter["schema"]?["examples"] == ["\"3\"", "*"])
        }
    }

    @Test("the response to a creation links to the operations on the new object")
    func links() throws {
        let created: JSONValue = ["$ref": "#/components/responses/NewPost"]
        #expect(try operation("post", "/api/posts")["responses"]?["201"] == created)
        let links = document["components"]?["responses"]?["NewPost"]?["links"]
        #expect(links?.object?.names == ["getPost", "updatePost", "deletePost"])
    }

    @Test(
        "the document and an entity's schemas are served, by either name of the entity",
        arguments: ["Post", "posts"]
    )
    func served(name: String) throws {
        let transport = try Transport(Self.api())
        let answer = try transport.answer(to: HTTPRequest(.get, "/openapi.json"))
        #expect(answer.status == 200)
        #expect(answer.json == (try Self.api().openAPIDocument))
        let schema = try transport.answer(to: HTTPRequest(.get, "/schemas/\(name)"))
        #expect(schema.status == 200)
        let content = try operation("get", "/schemas/{entity}")["responses"]?["200"]?["content"]
        #expect(content?.object?.names == schema.fields[.contentType].map { [$0] })
        #expect(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema")
        #expect(schema["$ref"] == "#/$defs/Post")
        #expect(schema["$defs"]?["UserMember"] != nil)
    }

    @Test("an editing context has a document of its own, with temporary names and transient values")
    func context() throws {
        let transport = try Transport(Self.api())
        for _ in 0..<2 { _ = try transport.answer(to: HTTPRequest(.post, "/api/contexts")) }
        let answer = try transport.answer(to: HTTPRequest(.get, "/api/contexts/c2/openapi.json"))
        #expect(answer.status == 200)
        let document = try #require(answer.json)
        #expect(document["servers"]?[0]?["url"] == "/api/contexts/{context}")
        #expect(document["servers"]?[0]?["variables"]?["context"]?["default"] == "c2")
        let paths = try #require(document["paths"]?.object)
        for path in self.document["paths"]?.object?.members ?? [] {
            let name = path.name.hasPrefix("/api/") ? String(path.name.dropFirst("/api".count)) : path.name
            // A draft has no history.
            let isEntity = (name.hasPrefix("/posts") || name.hasPrefix("/users")) && !name.hasSuffix("/history")
            if isEntity || ["/transaction", "/queries/popular"].contains(name) {
                #expect(paths[name]?.object?.names == path.value.object?.names, "\(name)")
            } else if ["/contexts", "/queries", "/model", "/healthz"].contains(name) {
                #expect(paths[name] == nil, "\(name)")
            }
        }
        let attributes = document["components"]?["schemas"]?["PostAttributes"]?["properties"]
        #expect(attributes?["draft"] != nil)
        // Rules apply at the save.
        let title = attributes?["title"]
        #expect(title?["type"] == ["string", "null"])
        #expect(title?["maxLength"] == nil)
        #expect(document["components"]?["schemas"]?["CommentCreate"]?["required"] == nil)
        #expect(document["components"]?["schemas"]?["CommentRow"]?["required"] == nil)
        let key = document["components"]?["parameters"]?["key"]?["schema"]?["anyOf"]
        #expect(key?[1]?["pattern"] == "^t[1-9][0-9]{0,8}$")
        let get = paths["/posts/{key}"]?["get"]
        let problem = get?["responses"]?["default"]?["$ref"]?.string?.split(separator: "/").last.map(String.init) ?? ""
        let problems = document["components"]?["responses"]?[problem]?["description"]
        #expect(problems?.string?.contains("410") == true)
        #expect(get?["operationId"] == "getPost")
        #expect(try transport.answer(to: HTTPRequest(.get, "/api/contexts/c3/openapi.json")).status == 404)
        #expect(try transport.answer(to: HTTPRequest(.post, "/api/contexts/c2/openapi.json")).status == 405)
    }

    @Test("the document has a tag for conditional requests")
    func unchanged() throws {
        let transport = try Transport(Self.api())
        func get(_ fields: HeaderFields = HeaderFields()) throws -> Answer {
            try transport.answer(to: HTTPRequest(.get, "/openapi.json", fields: fields))
        }
        let first = try get()
        let tag = try #require(first.fields[.etag])
        #expect(try get().bytes == first.bytes)
        #expect(try get([.ifNoneMatch: tag]).status == 304)
        #expect(try get([.ifNoneMatch: "\"other\""]).status == 200)
        #expect(try get([.ifNoneMatch: "other"]).status == 400)
    }

    @Test("schemas get distinct names if the model would give them the same")
    func clashes() throws {
        let model = Model {
            Entity("Post") { Attribute("Größe", .string).optional() }
            Entity("PostCreate") { Attribute("name", .string).optional() }
            Entity("Problem") { Attribute("name", .string).optional() }
            Entity("post_create") { Attribute("name", .string).optional() }
        }
        let document = try Self.api(model).openAPIDocument
        let names = try #require(document["components"]?["schemas"]?.object?.names)
        #expect(Set(names.map { $0.lowercased() }).count == names.count)
        #expect(names.contains("Problem2"))
        #expect(names.contains("PostCreate2"))
    }

    @Test("an inherited relationship is described once, and an entity is searchable if a subentity is")
    func inherited() throws {
        let model = Model {
            Entity("Part", isAbstract: true) {
                Relationship("whole", toOne: "Part", inverse: "parts").optional()
                Relationship("parts", toMany: "Part", inverse: "whole").optional()
            }
            Entity("Wheel", parent: "Part") { Attribute("size", .int16).optional() }
            Entity("Label", parent: "Part") { Attribute("text", .string).optional().searchIndexed() }
            Entity("Tyre", parent: "Wheel") { Attribute("width", .int16).optional() }
        }
        let api = try Self.api(model)
        #expect(api.catalogue.declaredRelationships.map(\.name).sorted() == ["parts", "whole"])
        let description = ModelDescription(api)
        let searched = api.catalogue.resources.filter(description.isSearched).map(\.path)
        #expect(searched == ["Part", "Label"])
        let names = try #require(api.openAPIDocument["components"]?["schemas"]?.object?.names)
        for kind in ["Wheel", "Label", "Tyre"] { #expect(names.contains("\(kind)CreateKindWithoutWhole"), "\(kind)") }
    }

    /// Each entity the parent of the next, with an attribute and a relationship to the one above.
    private static func chain(_ count: Int) -> Model {
        Model(
            entities: (0..<count).map { level in
                Entity(
                    name: "Level\(level)",
                    isAbstract: level == 1,
                    parentName: level == 0 ? nil : "Level\(level - 1)",
                    attributes: [Attribute(name: "a\(level)", type: .string)],
                    relationships: [
                        Relationship(
                            name: "up\(level)",
                            destinationName: "Level\(max(0, level - 1))",
                            isToMany: false,
                            isOptional: false
                        )
                    ]
                )
            }
        )
    }

    @Test("describes what entities have in common once where they inherit much", .timeLimit(.minutes(2)))
    func condensed() throws {
        let document = try Self.api(Self.chain(150)).openAPIDocument
        let schemas = try #require(document["components"]?["schemas"]?.object)
        func part(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }
        for (body, fields) in [
            ("Create", "Attributes"), ("Replace", "Attributes"), ("Patch", "PatchFields"), ("Update", "PatchFields"),
            ("Row", "Attributes"),
        ] {
            let schema = try #require(schemas["Level9\(body)"], "\(body)")
            #expect(schema["allOf"]?[0] == part("Level9\(fields)"))
            #expect(schema["unevaluatedProperties"] == false)
            #expect(schemas["Level9\(fields)"]?["allOf"]?[0] == part("Level8\(fields)"))
        }
        let fields = try #require(schemas["Level9Attributes"]?["allOf"]?[1])
        #expect(fields["properties"]?.object?.names == ["a9"])
        #expect(fields["required"] == ["a9"])
        #expect(schemas["Level0Attributes"]?["properties"]?["a0"]?["type"] == "string")
        // Objects of an entity are its own and those of the next one.
        #expect(schemas["Level0"] == ["oneOf": [part("Level0Itself"), part("Level1")]])
        #expect(schemas["Level1"] == ["oneOf": [part("Level2")]], "An abstract entity has no objects of its own.")
        #expect(schemas["Level149"]?["allOf"]?[1] == part("Level148Fields"))
        #expect(schemas["Level148CreateAny"] == ["anyOf": [part("Level148CreateKind"), part("Level149CreateAny")]])
        #expect(schemas["Level149UpdateAny"] == part("Level149Update"))
        let member = schemas["Level2Member"]?["anyOf"]?.array
        #expect(
            member == [
                part("Level2Reference"), part("Level2Create"), part("Level3CreateAny"), part("Level2Update"),
                part("Level3UpdateAny"),
            ]
        )
        let bodies = document["paths"]?["/api/Level2"]?["post"]?["requestBody"]?["content"]?["application/json"]
        #expect(bodies?["schema"]?["anyOf"]?.array?.prefix(2) == [part("Level2Create"), part("Level3CreateAny")])
        // What is inherited has its path and its parameter with the entity that declares it.
        #expect(document["paths"]?["/api/Level9/{key}/up9"] != nil)
        #expect(document["paths"]?["/api/Level9/{key}/up8"] == nil)
        let parameters = document["paths"]?["/api/Level9"]?["get"]?["parameters"]?.array?.compactMap {
            $0["name"]?.string
        }
        #expect(parameters?.contains("a9") == true && parameters?.contains("a8") == false)
        let pattern = try Regex(try #require(schemas["Level9Reference"]?["pattern"]?.string))
        for text in ["Level140/7", "/api/Level9/1", "$a"] { #expect(text.wholeMatch(of: pattern) != nil, "\(text)") }
        #expect("Level9".wholeMatch(of: pattern) == nil)
        // Nothing of it is referred to that isn't there.
        for member in schemas.members {
            for name in Self.references(in: member.value) { #expect(schemas[name] != nil, "\(name)") }
        }
    }

    private static func references(in value: JSONValue) -> [String] {
        let own = value["$ref"]?.string.flatMap { $0.split(separator: "/").last }.map(String.init)
        let members = value.object?.members.map(\.value) ?? value.array ?? []
        return (own.map { [$0] } ?? []) + members.flatMap(references)
    }

    @Test(
        "the document's length is proportional to the model's, however deeply entities are nested",
        .timeLimit(.minutes(5))
    )
    func deepHierarchy() throws {
        let length = try [300, 600].map { try Self.api(Self.chain($0)).openAPIDocument.serializedBytes().count }
        #expect(Double(length[1]) < 2.1 * Double(length[0]))
    }
}
