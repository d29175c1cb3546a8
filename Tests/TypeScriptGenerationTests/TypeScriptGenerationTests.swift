// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectModel
import TestSupport
import Testing

@testable import TypeScriptGeneration

@Suite("TypeScript generation")
struct TypeScriptGenerationTests {
    /// The part of a file that depends on the model's types.
    private static func types(of model: Model, name: String = "Blog", accounts: String? = nil) throws -> String {
        let text = TypeScriptGeneration(model, name: name, accounts: accounts).text
        return String(text[..<(try #require(text.range(of: "// ----- Values -----"))).lowerBound])
    }

    @Test("an entity has types for its objects, new objects, changes and conditions")
    func wording() throws {
        let model = Model {
            Entity("Post") {
                Attribute("title", .string).length(1...200)
                Attribute("views", .int64).default(0)
                Attribute("price", .decimal).optional().atLeast(0)
                Attribute("cover", .binary).optional()
                Attribute("metadata", .transformable(transformer: nil)).optional()
                Attribute("length", .int64).optional().derived("length:(title)")
                Attribute("excerpt", .string).optional().transient()
                Relationship("tags", toMany: "Tag", inverse: "posts").ordered().optional()
                Relationship("reply", toOne: "Post").optional()
                UniquenessConstraint("title")
            }
            Entity("Tag") { Relationship("posts", toMany: "Post", inverse: "tags").optional() }
        }
        #expect(try Self.types(of: model) == Self.blog(version: model.versionName))
    }

    @Test("objects of an entity with subentities are a union")
    func inheritance() throws {
        let model = Model {
            Entity("Contact", isAbstract: true) { Attribute("name", .string) }
            Entity("Group", parent: "Contact") { Relationship("members", toMany: "User", inverse: "group").optional() }
            Entity("User", parent: "Contact") { Relationship("group", toOne: "Group", inverse: "members") }
            Entity("Admin", parent: "User") { Attribute("level", .int16).default(1) }
        }
        let text = try Self.types(of: model)
        for declaration in [
            "export type ContactReference = `Contact/${string}` | GroupReference | UserReference;",
            "export type UserReference = `User/${string}` | AdminReference;",
            "export interface ContactFields extends ObjectIdentity {\n  name: string;\n}",
            "export type Contact = Group | User;",
            "export interface Group extends ContactFields {\n  readonly _id: GroupReference;\n  readonly _entity: \"Group\";\n}",
            "export interface UserFields extends ContactFields {\n  group: GroupReference;\n}",
            "export interface UserItself extends UserFields {\n  readonly _id: `User/${string}`;\n  readonly _entity: \"User\";\n}",
            "export type User = UserItself | Admin;",
            "export interface UserCreate extends ContactCreate {\n  group: RelatedObject<\"Group\">;\n}",
            "export interface GroupCreate extends ContactCreate {\n  members?: RelatedObjects<\"User\", \"group\"> | null;\n}",
            "    create: never;\n    member: (AdminCreate & { _entity: \"Admin\" }) | (GroupCreate & { _entity: \"Group\" }) | (UserCreate & { _entity: \"User\" });",
            "    create: UserCreate | (AdminCreate & { _entity: \"Admin\" });",
            "    toOne: { group: \"Group\" };",
            "  Admin: { path: \"Admin\", parent: \"User\" },",
        ] {
            #expect(text.contains("\n\(declaration)\n"), "\(declaration)")
        }
    }

    @Test("a composite has types for its values, new values, changes and conditions")
    func composites() throws {
        let model = Model {
            Composite("Size") {
                Attribute("width", .int32)
                Attribute("tags", .transformable(transformer: nil)).optional()
            }
            Composite("Box") { Attribute("size", .composite("Size")).optional() }
            Entity("Parcel") { Attribute("box", .composite("Box")) }
        }
        let text = try Self.types(of: model)
        for declaration in [
            "export interface Size {\n  tags: JSONValue;\n  width: number;\n}",
            "export interface SizeCreate {\n  tags?: JSONValue;\n  width: number;\n}",
            "export interface SizeUpdate {\n  tags?: JSONValue;\n  width?: number | NumberIncrement;\n}",
            "export interface SizeFilter {\n  tags?: JSONFilter;\n  width?: NumberFilter;\n}",
            "export interface BoxFilter {\n  size?: CompositeFilter<SizeFilter>;\n}",
            "export interface ParcelUpdate {\n  box?: BoxUpdate;\n}",
            "    composites: \"box\";",
            "  Parcel: { path: \"Parcel\", composites: { box: { size: { tags: \"json\" } } } },",
        ] {
            #expect(text.contains("\n\(declaration)\n"), "\(declaration)")
        }
    }

    @Test("named queries have their variables, fetched properties their entities")
    func queries() throws {
        var model = Model {
            Entity("Post") {
                Attribute("views", .int64)
                FetchedProperty("similar", of: "Post", predicate: "views == $FETCH_SOURCE.views")
            }
        }
        model.fetchRequestTemplates = [
            FetchRequestTemplate(
                name: "Popular",
                entityName: "Post",
                predicate: "views > $MINIMUM AND views < $MAXIMUM"
            ),
            FetchRequestTemplate(name: "All", entityName: "Post"),
        ]
        let text = TypeScriptGeneration(model, name: "Blog").text
        let map = """
            export interface QueryMap {
              All: { entity: "Post"; variables: {} };
              Popular: { entity: "Post"; variables: { MAXIMUM: PredicateValue; MINIMUM: PredicateValue } };
            }

            const queryEntities: { readonly [N in QueryName]: QueryMap[N]["entity"] } = { All: "Post", Popular: "Post" };
            """
        #expect(text.contains("\n\(map)\n") && text.contains("  async query<\n"))
        #expect(text.contains("\n    fetched: { similar: \"Post\" };\n"))
        model.fetchRequestTemplates = []
        let without = TypeScriptGeneration(model, name: "Blog").text
        #expect(!without.contains("QueryMap") && !without.contains("async query<"))
    }

    @Test("the client signs in if the server has accounts")
    func accounts() throws {
        let model = Model { Entity("User") { Attribute("email", .string) } }
        let text = TypeScriptGeneration(model, name: "Blog", accounts: "User").text
        #expect(text.contains("\nexport type AccountObject = EntityMap[\"User\"][\"object\"];\n"))
        #expect(text.contains("\n  readonly accounts = new ServerAccounts(this.connection);\n"))
        #expect(!TypeScriptGeneration(model, name: "Blog").text.contains("ServerAccounts"))
    }

    @Test("the password of accounts is written, and neither shown nor filtered, also if a superentity has it")
    func password() throws {
        let model = Model {
            Entity("Person", isAbstract: true) { Attribute("hash", .string) }
            Entity("User", parent: "Person") { Attribute("email", .string) }
        }
        let text = TypeScriptGeneration(model, name: "Blog", accounts: "User", password: "hash").text
        #expect(text.contains("export interface PersonCreate {\n  hash?: string;\n}"), "\(text.prefix(3_000))")
        #expect(text.contains("export interface PersonUpdate {\n  hash?: string;\n}"))
        #expect(text.contains("export interface PersonFilter {}"))
        #expect(text.components(separatedBy: "hash?: ").count == 3 && !text.contains("  hash: "))
        #expect(text.contains("Partial<Omit<EntityMap[\"User\"][\"create\"], \"hash\">>;"))
    }

    @Test("client and draft have a property for each entity, with the name of its path")
    func client() throws {
        let model = Model { Entity("Post", userInfo: ["path": "my-posts"]) { Attribute("title", .string) } }
        let text = TypeScriptGeneration(model, name: "Blog").text
        #expect(
            text.hasSuffix(
                """
                /** The objects on a server. */
                export class BlogClient extends ObjectClient<BlogDraft> {
                  readonly "my-posts": EntityCollection<"Post"> = collectionOf(this.route, "Post");

                  /** The address is that of the server, without "/api". In a page that the server serves it is empty. */
                  constructor(url = "", options: ConnectionOptions = {}) {
                    super(new ServerConnection(url, options), (route, id) => new BlogDraft(route, id));
                  }
                }

                /** The objects in a draft. */
                export class BlogDraft extends ObjectDraft<BlogDraft> {
                  readonly "my-posts": EntityCollection<"Post", "draft"> = collectionOf(this.route, "Post");

                  constructor(route: ObjectRoute, id: string) {
                    super(route, id, (child) => new BlogDraft(route, child));
                  }
                }

                """
            )
        )
        #expect(text.contains("//     const page = await client[\"my-posts\"].fetch({ limit: 10 });\n"))
    }

    @Test("the text doesn't depend on the order of the model's parts", arguments: SeededGenerator.seeds(5))
    func order(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let demo = try ModelFile.read(path: Checkout.path + "/Config/Demo.xcdatamodeld").current.model
        for original in [demo, Hostile.model] {
            var model = original
            model.entities.shuffle(using: &generator)
            model.composites.shuffle(using: &generator)
            model.fetchRequestTemplates.shuffle(using: &generator)
            for index in model.entities.indices {
                model.entities[index].attributes.shuffle(using: &generator)
                model.entities[index].relationships.shuffle(using: &generator)
                model.entities[index].fetchedProperties.shuffle(using: &generator)
            }
            for index in model.composites.indices { model.composites[index].attributes.shuffle(using: &generator) }
            #expect(TypeScriptGeneration(model, name: "M") == TypeScriptGeneration(original, name: "M"))
        }
    }

    @Test("docs/typescript.md names everything that can be called")
    func guide() throws {
        let guide = try Checkout.text(of: "docs/typescript.md")
        let words = Set(guide.matches(of: /\w+/).map(\.output))
        let text = (Runtime.sections + [Runtime.accounts]).joined(separator: "\n")
        let types = [
            "interface EntityCollection", "interface ObjectMembers", "interface RelatedLink", "class BytesAttribute",
            "interface TransactionBuilder", "class ServerHistory", "abstract class ObjectDraft", "class DraftList",
            "abstract class ObjectClient", "class ServerAccounts", "interface WriteOptions",
            "interface ConnectionOptions",
            "class ResultPage", "interface TextOperators", "interface ToManyFilter", "class OutcropError",
        ]
        for type in types {
            let start = try #require(text.range(of: "export \(type)"), "\(type)")
            let block = text[start.upperBound...]
            let body = block[..<(try #require(block.range(of: "\n}"))).lowerBound]
            let names = body.matches(of: /\n  (?:readonly |async |get )*\*?(\w+)\??[:(<]/).map { $0.1 }
            #expect(!names.isEmpty)
            let hidden: Set<Substring> = [
                "constructor", "entity", "connection", "status", "requestID", "retryAfter", "id",
            ]
            for name in names where !hidden.contains(name) && !body.contains("  private async \(name)") {
                #expect(words.contains(name), "\(type).\(name)")
            }
        }
    }

    @Test(
        "a client is generated for every real model",
        .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS names no folder")
    )
    func corpus() throws {
        for path in Corpus.contents {
            let version = try ModelVersion(contents: Corpus.bytes(of: path))
            let text = try Self.types(of: version.model)
            for entity in version.model.entities { #expect(text.contains("\n// ----- \(entity.name) -----\n")) }
        }
    }
}
