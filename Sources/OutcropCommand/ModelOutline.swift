// SPDX-License-Identifier: Apache-2.0

// A model as text: each entity with its properties in columns.

import ObjectModel

struct ModelOutline {
    let model: Model
    let terminal: Terminal

    /// The whole model: a headline, then each entity with what it declares itself, then what else there is.
    func text(of file: ModelFile) -> String {
        var counts = [Wording.count(model.entities.count, "entity")]
        if file.versions.count > 1 { counts.append("the current of \(Wording.count(file.versions.count, "version"))") }
        let headline = terminal.styled(file.current.name, .bold) + "  " + counts.joined(separator: ", ")
        let sections = [headline] + model.entities.map { text(of: $0) } + [rest].filter { !$0.isEmpty }
        return sections.joined(separator: "\n\n")
    }

    /// One entity with what it inherits too.
    func text(ofWhole entity: Entity) -> String {
        var whole = entity
        whole.attributes = model.attributes(of: entity)
        whole.relationships = model.relationships(of: entity)
        whole.fetchedProperties = model.fetchedProperties(of: entity)
        return text(of: whole)
    }

    private func text(of entity: Entity) -> String {
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

    private func title(of entity: Entity) -> String {
        var title = terminal.styled(entity.name, .bold)
        if let parent = entity.parentName { title += " : \(parent)" }
        let subentities = model.subentities(of: entity).map(\.name)
        var notes: [String] = entity.isAbstract ? ["abstract"] : []
        if !subentities.isEmpty { notes.append("over " + subentities.joined(separator: ", ")) }
        if let former = entity.renamingIdentifier { notes.append("was \(former)") }
        return notes.isEmpty ? title : title + "  " + terminal.styled(notes.joined(separator: ", "), .faint)
    }

    private func footnotes(of entity: Entity) -> [String] {
        entity.uniquenessConstraints.map { "  unique " + $0.joined(separator: ", ") }
            + entity.fetchIndexes.map { "  index \($0.name): " + PropertyWording.elements(of: $0) }
            + entity.compoundIndexes.map { "  index " + $0.joined(separator: ", ") }
    }

    private var rest: String {
        let composites = model.composites.map { composite in
            ([terminal.styled(composite.name, .bold) + "  " + terminal.styled("composite", .faint)]
                + table(
                    composite.attributes.map {
                        Row($0.name, PropertyWording.type(of: $0), PropertyWording.notes(on: $0))
                    }
                ))
                .joined(separator: "\n")
        }
        let templates = model.fetchRequestTemplates.map { template in
            "fetch request \(terminal.styled(template.name, .bold)): \(template.entityName)"
                + (template.predicate.map { " where \($0)" } ?? "")
        }
        let configurations = model.configurations.map { configuration in
            "configuration \(terminal.styled(configuration.name, .bold)): \(configuration.entityNames.joined(separator: ", "))"
        }
        return (composites + [(templates + configurations).joined(separator: "\n")].filter { !$0.isEmpty })
            .joined(separator: "\n\n")
    }
}

extension ModelOutline {
    private struct Row {
        let name: String
        let type: String
        let notes: String

        init(_ name: String, _ type: String, _ notes: [String]) {
            self.name = name
            self.type = type
            self.notes = notes.joined(separator: ", ")
        }
    }

    /// Rows in columns as wide as they need to be.
    private func table(_ rows: [Row]) -> [String] {
        let nameWidth = min(rows.map(\.name.count).max() ?? 0, 32)
        let typeWidth = min(rows.map(\.type.count).max() ?? 0, 28)
        return rows.map { row in
            let columns = "  " + padded(row.name, to: nameWidth) + "  "
            guard !row.notes.isEmpty else { return columns + terminal.styled(row.type, .cyan) }
            let padding = padded(row.type, to: typeWidth).dropFirst(row.type.count)
            return columns + terminal.styled(row.type, .cyan) + padding + "  " + terminal.styled(row.notes, .faint)
        }
    }

    private func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
