// SPDX-License-Identifier: Apache-2.0

// The texts of an entity's box, and their size.

import ObjectModel

struct BoxContent {
    /// A row without a position.
    struct Row {
        var kind: DiagramLayout.Row.Kind
        var propertyName: String
        var name: String
        var marks: [DiagramLayout.Mark]
        var type: String

        init(
            _ kind: DiagramLayout.Row.Kind,
            _ propertyName: String,
            prefix: String = "",
            marks: [DiagramLayout.Mark],
            type: String
        ) {
            self.kind = kind
            self.propertyName = propertyName
            self.marks = marks
            name = TextMetrics.fit(
                prefix + propertyName,
                width: DiagramMetrics.longestName,
                size: DiagramMetrics.nameSize
            )
            self.type = TextMetrics.fit(type, width: DiagramMetrics.longestType, size: DiagramMetrics.nameSize)
        }

        var width: Double {
            let marks = marks.reduce(0) { $0 + 6 + TextMetrics.width(of: $1.rawValue, size: DiagramMetrics.markSize) }
            let type = type.isEmpty ? 0 : 18 + TextMetrics.width(of: type, size: DiagramMetrics.nameSize)
            return TextMetrics.width(of: name, size: DiagramMetrics.nameSize) + marks + type
        }
    }

    let entityName: String
    let title: String
    let isAbstract: Bool
    let tooltip: String
    /// The rows of attributes and fetched properties.
    private(set) var attributes: [Row]
    private(set) var relationships: [Row]
    private(set) var width = DiagramMetrics.minimumBoxWidth

    init(of entity: Entity, maximumAttributes: Int?) {
        entityName = entity.name
        title = TextMetrics.fit(
            entity.name,
            width: DiagramMetrics.longestTitle,
            size: DiagramMetrics.titleSize,
            isBold: true
        )
        isAbstract = entity.isAbstract
        tooltip = entity.tooltip
        attributes = entity.attributeRows
        relationships = entity.relationships.map(\.row)
        if let maximum = maximumAttributes, attributes.count > max(0, maximum) {
            let more = attributes.count - max(0, maximum)
            attributes.removeLast(more)
            attributes.append(Row(.more, "… \(more) more", marks: [], type: ""))
        }
        let rows = (attributes + relationships).map(\.width).max() ?? 0
        let title = TextMetrics.width(of: title, size: DiagramMetrics.titleSize, isBold: true)
        width = max(width, max(rows, title) + 2 * DiagramMetrics.rowPadding)
    }

    mutating func widen(to width: Double) { self.width = max(self.width, width) }

    var headerHeight: Double {
        isAbstract ? DiagramMetrics.abstractHeaderHeight : DiagramMetrics.headerHeight
    }

    /// The height of the header and the attributes.
    var upperHeight: Double { headerHeight + Self.height(ofRows: attributes.count) }

    var height: Double {
        upperHeight + Self.height(ofRows: relationships.count)
            + (attributes.isEmpty && relationships.isEmpty ? DiagramMetrics.sectionPadding : 0)
    }

    private static func height(ofRows count: Int) -> Double {
        count == 0 ? 0 : Double(count) * DiagramMetrics.rowHeight + 2 * DiagramMetrics.sectionPadding
    }
}

extension Entity {
    fileprivate var attributeRows: [BoxContent.Row] {
        let unique = Set(uniquenessConstraints.joined())
        let indexed = Set(
            fetchIndexes.flatMap(\.elements).compactMap { element in
                if case .property(let name) = element.subject { name } else { nil }
            } + compoundIndexes.joined()
        )
        let attributes = attributes.map { attribute in
            var marks: [DiagramLayout.Mark] = []
            if unique.contains(attribute.name) { marks.append(.unique) }
            if attribute.isIndexed || indexed.contains(attribute.name) { marks.append(.indexed) }
            if attribute.isTransient { marks.append(.transient) }
            return BoxContent.Row(
                .attribute,
                attribute.name,
                prefix: attribute.isDerived ? "/" : "",
                marks: marks,
                type: TextMetrics.fit(attribute.type.name, width: 150, size: DiagramMetrics.nameSize)
                    + (attribute.isOptional ? "?" : "")
            )
        }
        let fetched = fetchedProperties.map { property in
            BoxContent.Row(
                .fetchedProperty,
                property.name,
                marks: [.fetched],
                type: property.fetchRequest.entityName
            )
        }
        return attributes + fetched
    }

    /// The name, the entity's class and parent, and its user info.
    fileprivate var tooltip: String {
        var lines = [name]
        if let className { lines.append("class \(className)") }
        if let parentName { lines.append("parent \(parentName)") }
        let shown = 20
        lines += userInfo.entries.prefix(shown).map { "\($0.key): \($0.value)" }
        if userInfo.entries.count > shown { lines.append("… \(userInfo.entries.count - shown) more") }
        return lines.map { line in
            let start = line.unicodeScalars.prefix(200)
            return TextMetrics.printable(start) + (start.endIndex == line.unicodeScalars.endIndex ? "" : "…")
        }.joined(separator: "\n")
    }
}

extension Relationship {
    fileprivate var row: BoxContent.Row {
        var marks = [deleteRule.mark]
        if isOrdered { marks.append(.ordered) }
        if isTransient { marks.append(.transient) }
        // Truncated first, so that the cardinality stays visible.
        let destination = TextMetrics.fit(destinationName, width: 180, size: DiagramMetrics.nameSize)
        return BoxContent.Row(.relationship, name, marks: marks, type: "\(destination) \(cardinality)")
    }
}
