// SPDX-License-Identifier: Apache-2.0

// A model as text: each entity with its properties in columns.

import ObjectModel
import SourceText

struct ModelOutline {
    private let model: Model
    private let subentityNames: [String: [String]]

    init(model: Model) {
        self.model = model
        let children = model.entities.compactMap { entity in entity.parentName.map { ($0, [entity.name]) } }
        subentityNames = Dictionary(children, uniquingKeysWith: +)
    }

    /// The complete model: a headline, the entities with the properties that they declare, then everything else.
    func text(of file: ModelFile) -> StyledText {
        var counts = [Wording.count(model.entities.count, "entity")]
        if file.versions.count > 1 { counts.append("the current of \(Wording.count(file.versions.count, "version"))") }
        let headline = StyledText(file.current.name, .bold) + StyledText("  " + counts.joined(separator: ", "))
        return ([headline] + model.entities.map { text(of: $0) } + rest).joined(separator: "\n\n")
    }

    /// An entity with its inherited properties.
    func text(ofWhole entity: Entity) -> StyledText {
        var whole = entity
        whole.attributes = model.attributes(of: entity)
        whole.relationships = model.relationships(of: entity)
        whole.fetchedProperties = model.fetchedProperties(of: entity)
        return text(of: whole)
    }

    private func text(of entity: Entity) -> StyledText {
        let attributes = entity.attributes.map {
            Row($0.name, PropertyWording.type(of: $0), PropertyWording.notes(on: $0))
        }
        let relationships = entity.relationships.map {
            Row($0.name, PropertyWording.type(of: $0), PropertyWording.notes(on: $0))
        }
        let fetched = entity.fetchedProperties.map {
            Row($0.name, "fetches [\($0.fetchRequest.entityName)]", [$0.fetchRequest.predicate].compactMap(\.self))
        }
        return ([title(of: entity)] + table(attributes + relationships + fetched) + footnotes(of: entity))
            .joined(separator: "\n")
    }

    private func title(of entity: Entity) -> StyledText {
        let title = StyledText(entity.name, .bold) + StyledText(entity.parentName.map { " : \($0)" } ?? "")
        let subentities = subentityNames[entity.name] ?? []
        var notes: [String] = entity.isAbstract ? ["abstract"] : []
        if !subentities.isEmpty { notes.append("over " + subentities.joined(separator: ", ")) }
        if let former = entity.renamingIdentifier { notes.append("was \(former)") }
        return notes.isEmpty ? title : title + "  " + StyledText(notes.joined(separator: ", "), .faint)
    }

    private func footnotes(of entity: Entity) -> [StyledText] {
        let lines =
            entity.uniquenessConstraints.map { "  unique " + $0.joined(separator: ", ") }
            + entity.fetchIndexes.map { "  index \($0.name): " + PropertyWording.elements(of: $0) }
            + entity.compoundIndexes.map { "  index " + $0.joined(separator: ", ") }
        return lines.map { StyledText($0) }
    }

    /// Composites, fetch request templates and configurations.
    private var rest: [StyledText] {
        let composites = model.composites.map { composite in
            let rows = composite.attributes.map {
                Row($0.name, PropertyWording.type(of: $0), PropertyWording.notes(on: $0))
            }
            return ([StyledText(composite.name, .bold) + "  " + StyledText("composite", .faint)] + table(rows))
                .joined(separator: "\n")
        }
        let templates = model.fetchRequestTemplates.map { template in
            "fetch request " + StyledText(template.name, .bold)
                + StyledText(": " + template.entityName + (template.predicate.map { " where \($0)" } ?? ""))
        }
        let configurations = model.configurations.map { configuration in
            "configuration " + StyledText(configuration.name, .bold)
                + StyledText(": " + configuration.entityNames.joined(separator: ", "))
        }
        let last = templates + configurations
        return composites + (last.isEmpty ? [] : [last.joined(separator: "\n")])
    }
}

extension ModelOutline {
    private struct Row {
        let name: String
        let type: String
        let notes: String

        init(_ name: String, _ type: String, _ notes: [String]) {
            self.name = name.printable()
            self.type = type.printable()
            self.notes = notes.joined(separator: ", ").printable()
        }
    }

    /// Aligned columns.
    private func table(_ rows: [Row]) -> [StyledText] {
        let nameWidth = min(rows.map(\.name.count).max() ?? 0, 32)
        let typeWidth = min(rows.map(\.type.count).max() ?? 0, 28)
        return rows.map { row in
            let columns = StyledText("  " + padded(row.name, to: nameWidth) + "  ") + StyledText(row.type, .cyan)
            guard !row.notes.isEmpty else { return columns }
            let padding = padded(row.type, to: typeWidth).dropFirst(row.type.count)
            return columns + StyledText(padding + "  ") + StyledText(row.notes, .faint)
        }
    }

    private func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
