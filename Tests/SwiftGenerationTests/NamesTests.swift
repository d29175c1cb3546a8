// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ObjectModel
import SwiftGeneration
import TestSupport
import Testing

@Suite("Generated names")
struct NamesTests {
    private static func renamed(_ model: Model) -> [String] {
        SwiftGeneration(model, name: "Blog").renamings.map { renaming in
            "\([renaming.owner, renaming.property].compactMap(\.self).joined(separator: ".")): \(renaming.name)"
        }
    }

    @Test("names that Swift or a superclass uses get underscores, and the renamings are reported")
    func renamings() {
        let expected = [
            "Birth: Birth_", "Date: Date_", "Date.context: context_", "Object: Object_", "Type: Type_",
            "Type.CodingKeys: CodingKeys_", "Type.Object: Object__", "Type.String: String_", "Type.context_: context__",
            "Type.hashValue: hashValue_", "Type.init: init_", "Type.reference: reference_", "Type.willSave: willSave_",
            "Type.x²: x_", "Value: Value_", "Value.members: members_", "Value.self: self_", "Value.value: value_",
            "object: object__",
        ]
        #expect(Set(Self.renamed(Hostile.model)) == Set(expected))
    }

    @Test("generated classes have the class names of the model, without modules")
    func classes() {
        func file(_ className: String?) -> [String] {
            let model = Model(entities: [Entity(name: "Post", className: className)])
            return SwiftGeneration(model, name: "Blog").files.filter(\.isHandOwned).map(\.text)
        }
        let plain = "import Outcrop\n\nfinal class Post: ManagedObject {}\n"
        for name in [nil, "Post", ".Post", "App.Post", "NSManagedObject"] { #expect(file(name) == [plain]) }
        let other = """
            import Outcrop

            final class Article: ManagedObject {
                override class var entityName: String { "Post" }
            }

            """
        #expect(file("Article") == [other] && file("App.Article") == [other])
        let below = Model(entities: [
            Entity(name: "Post", className: "Article"), Entity(name: "Essay", className: "Essay", parentName: "Post"),
        ])
        let files = SwiftGeneration(below, name: "Blog").files.filter(\.isHandOwned).map(\.text)
        #expect(
            files[0].contains("final class Essay: Article {\n    override class var entityName: String { \"Essay\" }")
        )
        #expect(files[1].contains("\nclass Article: ManagedObject {\n"))
    }

    @Test("entities that share a class name get classes named after the entities")
    func shared() {
        let model = Model(entities: [Entity(name: "A", className: "X"), Entity(name: "B", className: "X")])
        #expect(Self.renamed(model) == ["A: A", "B: B"])
    }

    @Test("attributes with the names of members of ManagedObject are renamed")
    func members() throws {
        let folder = Checkout.path + "/Sources/ObjectGraph/"
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
        var members: Set<String> = []
        for file in files where file.hasSuffix(".swift") {
            let text = try Checkout.text(of: "Sources/ObjectGraph/" + file)
            // The blocks of the class and its extensions end with the first line that begins with a brace.
            for block in text.matches(of: /\n(?:open class|extension) ManagedObject\b[^,{]*\{\n([\s\S]*?)\n\}/) {
                let pattern = /\n    (?:public|open) .*?\b(?:var|let|func) ([A-Za-z]+)(\(\))?/
                for member in ("\n" + block.output.1).matches(of: pattern) {
                    let isProperty = !member.output.0.contains("func ")
                    if isProperty || member.output.2 != nil { members.insert(String(member.output.1)) }
                }
            }
        }
        #expect(members.isSuperset(of: ["objectID", "entity", "context", "willSave", "hasChanges", "reference"]))
        for member in members.sorted() {
            let model = Model(entities: [Entity(name: "A", attributes: [Attribute(member, .string)])])
            #expect(Self.renamed(model) == ["A.\(member): \(member)_"])
        }
    }
}
