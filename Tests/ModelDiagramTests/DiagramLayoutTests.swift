// SPDX-License-Identifier: Apache-2.0

// Geometry: the places of boxes and lines, for models of all shapes.

import ModelDiagram
import ObjectModel
import Testing

@Suite("Diagram layout")
struct DiagramLayoutTests {
    private static let generated: [(name: String, model: Model)] = [
        ("no entities", Model()),
        ("one entity", Model(entities: [Entity(name: "Only")])),
        ("the demo world", demoWorld),
        ("forty entities alone", Model(entities: (0..<40).map { Entity(name: "Entity\($0)") })),
        (
            "a hundred and twenty children of one parent",
            Model(entities: (0...120).map { Entity(name: "E\($0)", parentName: $0 == 0 ? nil : "E0") })
        ),
        (
            "a chain of sixty parents",
            Model(entities: (0..<60).map { Entity(name: "E\($0)", parentName: $0 == 0 ? nil : "E\($0 - 1)") })
        ),
        (
            "a hundred arrows to one small box",
            Model(
                entities: [Entity(name: "Target")]
                    + (0..<100).map {
                        Entity(
                            name: "E\($0)",
                            relationships: [Relationship(name: "target", destinationName: "Target")]
                        )
                    }
            )
        ),
    ]

    @Test("boxes don't overlap, and lines run around them from border to border", arguments: generated)
    func holds(name: String, model: Model) {
        #expect(layoutFaults(ModelDiagram(model, options: DiagramOptions(title: name)).layout()) == [])
    }

    @Test("the check of layouts reports faults")
    func faults() throws {
        let sound = ModelDiagram(demoWorld).layout()
        var moved = sound
        moved.boxes[1].rect = moved.boxes[0].rect
        #expect(layoutFaults(moved).contains("User overlaps Post"))

        let posts = try #require(sound.lines.firstIndex { $0.tooltip == "User.posts ⇄ Post.author" })
        var through = sound
        let user = sound.boxes[0].rect
        through.lines[posts].points.insert(DiagramPoint(x: user.x + 9, y: user.y + 9), at: 1)
        #expect(layoutFaults(through).contains("User.posts ⇄ Post.author runs through User"))

        var shared = sound
        shared.lines[posts].points = sound.lines[posts + 1].points
        #expect(layoutFaults(shared).contains("User.posts ⇄ Post.author doesn't end at its row"))
        #expect(layoutFaults(shared).contains { $0.hasSuffix("share a way") })

        var small = sound
        small.width = 300
        #expect(layoutFaults(small).contains { $0.hasSuffix("is off the page") })
    }

    @Test(
        "random models satisfy the rules of layouts, with a row or line for every part",
        arguments: [(3, 3), (5, 20), (12, 30), (30, 25), (60, 90), (150, 400), (500, 700)],
        [1, 2, 25] as [UInt64]
    )
    func holdsForRandomModels(size: (entities: Int, relationships: Int), seed: UInt64) {
        let model = randomModel(entities: size.entities, relationships: size.relationships, seed: seed)
        let layout = ModelDiagram(model).layout()
        #expect(layoutFaults(layout) == [], "seed \(seed)")
        #expect(layout.boxes.map(\.entityName) == model.entities.map(\.name), "seed \(seed)")
        #expect(rowsAndEnds(layout) == rowsAndEnds(of: model), "seed \(seed)")
    }

    @Test("every entity, attribute and relationship is drawn exactly once")
    func everythingOnce() {
        let layout = ModelDiagram(demoWorld).layout()
        #expect(layout.boxes.map(\.entityName) == demoWorld.entities.map(\.name))
        for (box, entity) in zip(layout.boxes, demoWorld.entities) {
            let names = box.rows.map(\.propertyName).sorted()
            let attributes = entity.attributes.map(\.name) + entity.fetchedProperties.map(\.name)
            #expect(names == (attributes + entity.relationships.map(\.name)).sorted())
            #expect(Array(box.rows.map(\.propertyName).prefix(attributes.count)) == attributes)
        }
        #expect(rowsAndEnds(layout) == rowsAndEnds(of: demoWorld))
    }

    @Test("a relationship and its inverse are one line, from the owner to the owned entity")
    func pairs() throws {
        let layout = ModelDiagram(demoWorld).layout()
        let lines = layout.lines.filter { $0.kind == .relationship }.map { line in
            [line.start, line.end].map { "\(layout.boxes[$0.box].entityName).\($0.relationshipName ?? "")" }
        }
        #expect(
            lines == [
                ["User.posts", "Post.author"],
                ["User.comments", "Comment.author"],
                ["User.contact", "Contact.user"],
                ["Post.tags", "Tag.posts"],
                ["Post.comments", "Comment.post"],
                ["Post.replies", "Post.inReplyTo"],
                ["Tag.synonyms", "Tag.synonyms"],
                ["Organization.employees", "Person.employer"],
            ]
        )
        let posts = try #require(layout.lines.first { $0.start.relationshipName == "posts" })
        #expect(posts.start.shape == .one)
        #expect(posts.end.shape == .many)
    }

    @Test("a one-way relationship ends in an arrow, and a subentity's line begins with a triangle")
    func oneWayAndInheritance() throws {
        let layout = ModelDiagram(demoWorld).layout()
        let cover = try #require(layout.lines.first { $0.kind == .oneWay })
        #expect(cover.start.relationshipName == "cover")
        #expect(layout.boxes[cover.end.box].entityName == "Image")
        #expect(cover.end.relationshipName == nil)
        #expect(cover.end.shape == .arrow)
        let parents = layout.lines.filter { $0.kind == .inheritance }
        #expect(parents.map(\.start.box) == [4, 4])
        #expect(parents.map(\.end.box) == [5, 6])
        #expect(parents.allSatisfy { $0.start.shape == .triangle })
    }

    @Test("relationships that aren't each other's inverses are two lines")
    func brokenInverses() {
        let model = Model(entities: [
            Entity(
                name: "A",
                relationships: [Relationship(name: "b", destinationName: "B", inverseName: "a")]
            ),
            Entity(
                name: "B",
                relationships: [
                    Relationship(name: "a", destinationName: "A", inverseName: "other", isToMany: true),
                    Relationship(name: "nowhere", destinationName: "Nothing", inverseName: "b"),
                ]
            ),
        ])
        let layout = ModelDiagram(model).layout()
        #expect(layout.lines.map(\.kind) == [.oneWay, .oneWay])
        #expect(layout.lines.map(\.end.shape) == [.arrow, .doubleArrow])
        #expect(layout.boxes[1].rows.map(\.propertyName).sorted() == ["a", "nowhere"])
        #expect(layoutFaults(layout) == [])
    }

    @Test("an inverse that the destination inherits is found on the parent entity")
    func inheritedInverse() {
        let model = Model(entities: [
            Entity(
                name: "Base",
                relationships: [Relationship(name: "owner", destinationName: "Owner", inverseName: "thing")]
            ),
            Entity(name: "Thing", parentName: "Base"),
            Entity(
                name: "Owner",
                relationships: [Relationship(name: "thing", destinationName: "Thing", inverseName: "owner")]
            ),
        ])
        let lines = ModelDiagram(model).layout().lines.filter { $0.kind == .relationship }
        #expect(lines.map { [$0.start.box, $0.end.box] } == [[0, 2]])
    }

    @Test("cyclic parents, and an entity that is its own parent, are drawn")
    func circleOfParents() {
        let model = Model(entities: [
            Entity(name: "A", parentName: "B"), Entity(name: "B", parentName: "A"),
            Entity(name: "C", parentName: "C"), Entity(name: "C"),
            Entity(
                name: "D",
                parentName: "A",
                relationships: [Relationship(name: "a", destinationName: "A", inverseName: "missing")]
            ),
        ])
        let layout = ModelDiagram(model).layout()
        #expect(layoutFaults(layout) == [])
        #expect(layout.boxes.count == 5)
        #expect(layout.lines.count == 4)
    }

    @Test("the same model has the same layout")
    func determinism() {
        let model = randomModel(entities: 40, relationships: 60, seed: 7)
        #expect(ModelDiagram(model).layout() == ModelDiagram(model).layout())
    }

    /// The relationships at the ends of lines, and the number of lines to parents.
    private func rowsAndEnds(_ layout: DiagramLayout) -> [String: Int] {
        var ends: [String: Int] = [:]
        for line in layout.lines {
            // A relationship that is its own inverse counts as one end.
            let names = Set(
                [line.start, line.end].compactMap { end in
                    end.relationshipName.map { "\(layout.boxes[end.box].entityName).\($0)" }
                }
            )
            for name in names { ends[name, default: 0] += 1 }
            if line.kind == .inheritance { ends["parent of \(layout.boxes[line.end.box].entityName)", default: 0] += 1 }
        }
        return ends
    }

    private func rowsAndEnds(of model: Model) -> [String: Int] {
        var ends: [String: Int] = [:]
        for entity in model.entities {
            for relationship in entity.relationships { ends["\(entity.name).\(relationship.name)"] = 1 }
            if entity.parentName != nil { ends["parent of \(entity.name)"] = 1 }
        }
        return ends
    }
}
