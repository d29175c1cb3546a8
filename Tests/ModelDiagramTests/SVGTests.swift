// SPDX-License-Identifier: Apache-2.0

// The picture as text.

import ModelDiagram
import ObjectModel
import Testing
import XML

@Suite("SVG pictures")
struct SVGTests {
    @Test("the picture is an SVG document with a title, a description and a view box")
    func document() throws {
        let diagram = ModelDiagram(demoWorld, options: DiagramOptions(title: "Demo"))
        let layout = diagram.layout()
        let root = try XMLElement(parsing: diagram.svg())
        #expect(root.name == "svg")
        #expect(root["xmlns"] == "http://www.w3.org/2000/svg")
        #expect(root["viewBox"] == "0 0 \(Int(layout.width)) \(Int(layout.height))")
        #expect(root.first(named: "title")?.text == "Demo")
        #expect(
            root.first(named: "desc")?.text
                == "9 entities as boxes with their properties, and 9 lines for the relationships between them."
        )
        #expect(root.first(named: "style")?.text.contains("prefers-color-scheme: dark") == true)
    }

    @Test("each box and line of the layout is drawn once, with a tooltip")
    func elements() throws {
        let root = try XMLElement(parsing: ModelDiagram(demoWorld).svg())
        let groups = root.elements(named: "g")
        let boxes = try #require(groups.first { $0["class"] == "boxes" }).elements
        let lines = try #require(groups.first { $0["class"] == "lines" }).elements
        #expect(boxes.compactMap { $0.first(named: "text")?.text }.filter { $0 != "«abstract»" }.count == 8)
        #expect(boxes.first?.first(named: "title")?.text == "User\ndocumentation: Somebody who writes")
        #expect(
            lines.compactMap { $0.first(named: "title")?.text } == [
                "Person is a kind of Contact", "Organization is a kind of Contact", "User.posts ⇄ Post.author",
                "User.comments ⇄ Comment.author", "User.contact ⇄ Contact.user", "Post.tags ⇄ Tag.posts",
                "Post.comments ⇄ Comment.post", "Post.replies ⇄ Post.inReplyTo", "Post.cover → Image",
                "Tag.synonyms ⇄ Tag.synonyms", "Organization.employees ⇄ Person.employer",
            ]
        )
    }

    @Test(
        "names with any characters are drawn as text, never as markup",
        arguments: [
            "<&\">'", "]]>", "👩‍👩‍👧‍👦🏳️‍🌈", "a\nb\tc\r", "\u{0}\u{1}\u{B}\u{1F}\u{7F}\u{85}\u{FFFE}\u{FFFF}", "\u{202E}x", "",
        ]
    )
    func anyCharacters(name: String) throws {
        let model = Model(entities: [
            Entity(
                name: name,
                attributes: [Attribute(name: name, type: .composite(name))],
                relationships: [Relationship(name: name, destinationName: name, inverseName: name)],
                userInfo: [name: name]
            )
        ])
        let diagram = ModelDiagram(model, options: DiagramOptions(title: name))
        let root = try XMLElement(parsing: diagram.svg())
        let box = try #require(root.elements(named: "g").first { $0["class"] == "boxes" }?.elements.first)
        #expect(box.elements(named: "text").first?.text == diagram.layout().boxes[0].title)
        if name == "<&\">'" { #expect(diagram.layout().boxes[0].title == name) }
    }

    @Test("the same model has the same SVG text")
    func determinism() {
        let model = randomModel(entities: 30, relationships: 40, seed: 3)
        #expect(ModelDiagram(model).svg() == ModelDiagram(model).svg())
    }

    @Test("an empty model has a picture")
    func emptyModel() throws {
        let root = try XMLElement(parsing: ModelDiagram(Model()).svg())
        #expect(root.elements(named: "g").first { $0["class"] == "boxes" }?.elements.isEmpty == true)
    }
}
