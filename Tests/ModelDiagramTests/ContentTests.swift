// SPDX-License-Identifier: Apache-2.0

// The text in the boxes.

import ModelDiagram
import ObjectModel
import Testing

@Suite("Diagram contents")
struct ContentTests {
    private func row(_ relationship: Relationship) -> DiagramLayout.Row? {
        ModelDiagram(Model(entities: [Entity(name: "A", relationships: [relationship])])).layout().boxes[0].rows.first
    }

    @Test(
        "a relationship's row shows its cardinality",
        arguments: [
            (Relationship(name: "r", destinationName: "B"), "B 1"),
            (Relationship(name: "r", destinationName: "B", isOptional: true), "B 0..1"),
            (Relationship(name: "r", destinationName: "B", isToMany: true), "B 1..*"),
            (Relationship(name: "r", destinationName: "B", isToMany: true, isOptional: true), "B *"),
            (
                Relationship(name: "r", destinationName: "B", isToMany: true, minimumCount: 2, maximumCount: 20),
                "B 2..20"
            ),
            (
                Relationship(
                    name: "r",
                    destinationName: "B",
                    isToMany: true,
                    isOptional: true,
                    minimumCount: 2,
                    maximumCount: 20
                ),
                "B 0, 2..20"
            ),
            (
                Relationship(name: "r", destinationName: "B", isToMany: true, isOptional: true, maximumCount: 5),
                "B 0..5"
            ),
            (
                Relationship(name: "r", destinationName: "B", isToMany: true, minimumCount: 3, maximumCount: 3),
                "B 3"
            ),
        ]
    )
    func cardinality(relationship: Relationship, type: String) {
        #expect(row(relationship)?.type == type)
    }

    @Test(
        "a relationship's row shows its delete rule",
        arguments: [
            (DeleteRule.cascade, DiagramLayout.Mark.cascade), (.deny, .deny), (.nullify, .nullify),
            (.noAction, .noAction),
        ]
    )
    func deleteRule(rule: DeleteRule, mark: DiagramLayout.Mark) {
        #expect(row(Relationship(name: "r", destinationName: "B", deleteRule: rule))?.marks == [mark])
    }

    @Test("a relationship's row shows that it is ordered or transient")
    func orderedRelationship() {
        let relationship = Relationship(
            name: "r",
            destinationName: "B",
            isToMany: true,
            isOrdered: true,
            isTransient: true
        )
        #expect(row(relationship)?.marks == [.nullify, .ordered, .transient])
    }

    @Test("an attribute's row has its type and marks")
    func attributes() {
        let rows = ModelDiagram(demoWorld).layout().boxes[0].rows.filter { $0.kind != .relationship }
        let texts = rows.map { ([$0.name] + $0.marks.map(\.rawValue) + [$0.type]).joined(separator: " ") }
        #expect(
            texts == [
                "name indexed String", "email unique String?", "birthday Date?", "age transient Int16?",
                "/postCount Int64", "recentPosts fetched Post",
            ]
        )
    }

    @Test("attributes beyond the maximum are counted in a row")
    func maximumAttributes() {
        let options = DiagramOptions(maximumAttributes: 2)
        let rows = ModelDiagram(demoWorld, options: options).layout().boxes[0].rows.filter { $0.kind != .relationship }
        #expect(rows.map(\.name) == ["name", "email", "… 4 more"])
        #expect(layoutFaults(ModelDiagram(demoWorld, options: options).layout()) == [])
    }

    @Test("entities and lines beyond the maximum are counted in notes")
    func bounds() {
        let options = DiagramOptions(maximumEntities: 3, maximumLines: 2)
        let layout = ModelDiagram(demoWorld, options: options).layout()
        #expect(layout.boxes.count == 3)
        #expect(layout.lines.count == 2)
        #expect(layout.labels.map(\.text) == ["Not drawn: 6 more entities.", "Not drawn: 2 more lines."])
        #expect(layoutFaults(layout) == [])
    }

    @Test("the diagram of an empty model has a note")
    func emptyModel() {
        #expect(ModelDiagram(Model()).layout().labels.map(\.text) == ["This model has no entities."])
    }

    @Test(
        "very long names are truncated and keep the box small",
        arguments: ["a", "W", "語", "👩‍👩‍👧‍👦", "\u{301}", "\u{0}"]
    )
    func longNames(piece: String) {
        let name = String(repeating: piece, count: 10_000)
        let entity = Entity(
            name: name,
            attributes: [Attribute(name: name, type: .composite(name))],
            relationships: [Relationship(name: name, destinationName: name)],
            userInfo: UserInfo((0..<100).map { UserInfo.Entry(key: "\($0)", value: name) })
        )
        let layout = ModelDiagram(Model(entities: [entity]), options: DiagramOptions(title: name)).layout()
        #expect(layout.width < 1_000)
        #expect(layout.boxes[0].title.unicodeScalars.count <= 201)
        #expect(layout.boxes[0].title.hasSuffix("…"))
        #expect(layout.boxes[0].tooltip.unicodeScalars.count < 10_000)
        #expect(layoutFaults(layout) == [])
    }

    @Test("the legend explains all signs and can be omitted")
    func legend() {
        let shapes: [DiagramLayout.Line.Shape] = [
            .one, .zeroOrOne, .oneOrMore, .many, .arrow, .doubleArrow, .triangle,
        ]
        let signs = ModelDiagram(demoWorld).layout().legend.map(\.sign)
        for shape in shapes { #expect(signs.contains(.line(shape))) }
        for mark in [DiagramLayout.Mark.cascade, .deny, .nullify, .noAction] { #expect(signs.contains(.mark(mark))) }
        #expect(ModelDiagram(demoWorld, options: DiagramOptions(hasLegend: false)).layout().legend == [])
    }
}
