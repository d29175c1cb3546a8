// SPDX-License-Identifier: Apache-2.0

/// The geometry of a diagram: the result of the layout, and everything that drawing requires.
package struct DiagramLayout: Hashable, Sendable {
    package var width: Double
    package var height: Double
    /// The boxes in the model's order of entities.
    package var boxes: [Box]
    package var lines: [Line]
    /// Texts outside the boxes: the headline, and notes about omitted content.
    package var labels: [Label]
    package var legend: [LegendItem]

    /// An entity.
    package struct Box: Hashable, Sendable {
        package var entityName: String
        package var rect: DiagramRect
        package var header: DiagramRect
        /// The displayed name, truncated if it is very long.
        package var title: String
        package var isAbstract: Bool
        package var rows: [Row]
        package var tooltip: String
    }

    /// A property: its name and marks on the left, its type on the right.
    package struct Row: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            case attribute
            case fetchedProperty
            case relationship
            /// The number of attributes that aren't shown.
            case more
        }

        package var kind: Kind
        package var propertyName: String
        package var rect: DiagramRect
        package var name: String
        package var marks: [Mark]
        package var type: String
    }

    /// A label beside a property's name.
    package enum Mark: String, CaseIterable, Hashable, Sendable {
        case unique
        case indexed
        case transient
        case fetched
        case ordered
        case cascade
        case deny
        case nullify
        case noAction = "no action"
    }

    /// A relationship with its inverse, a relationship without one, or an entity's inheritance from its parent.
    package struct Line: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            case relationship
            case oneWay
            case inheritance
        }

        package struct End: Hashable, Sendable {
            /// The index of the box.
            package var box: Int
            /// The relationship at which the line ends, if any.
            package var relationshipName: String?
            package var shape: Shape
        }

        /// The shape where a line meets a box, which shows how many of its objects the other end refers to.
        package enum Shape: Hashable, Sendable {
            case one
            case zeroOrOne
            case oneOrMore
            case many
            case arrow
            case doubleArrow
            case triangle
            case plain
        }

        package var kind: Kind
        package var start: End
        package var end: End
        /// The path from border to border. Each step is horizontal or vertical, the first and last horizontal.
        package var points: [DiagramPoint]
        /// An index that distinguishes parallel lines.
        package var color: Int
        package var tooltip: String
    }

    package struct Label: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            case title
            case note
        }

        package var kind: Kind
        package var text: String
        package var rect: DiagramRect
    }

    /// A symbol and its meaning.
    package struct LegendItem: Hashable, Sendable {
        package enum Sign: Hashable, Sendable {
            case line(Line.Shape)
            case mark(Mark)
            case text(String)
        }

        package var sign: Sign
        package var text: String
        package var rect: DiagramRect
    }
}
