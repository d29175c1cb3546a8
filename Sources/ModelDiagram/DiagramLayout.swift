// SPDX-License-Identifier: Apache-2.0

/// The geometry of a diagram: the result of the layout, and everything that drawing requires.
public struct DiagramLayout: Hashable, Sendable {
    public var width: Double
    public var height: Double
    /// The boxes in the model's order of entities.
    public var boxes: [Box]
    public var lines: [Line]
    /// Texts outside the boxes: the headline, and notes about omitted content.
    public var labels: [Label]
    public var legend: [LegendItem]

    /// An entity.
    public struct Box: Hashable, Sendable {
        public var entityName: String
        public var rect: DiagramRect
        public var header: DiagramRect
        /// The displayed name, truncated if it is very long.
        public var title: String
        public var isAbstract: Bool
        public var rows: [Row]
        public var tooltip: String
    }

    /// A property: its name and marks on the left, its type on the right.
    public struct Row: Hashable, Sendable {
        public enum Kind: Hashable, Sendable {
            case attribute
            case fetchedProperty
            case relationship
            /// The number of attributes that aren't shown.
            case more
        }

        public var kind: Kind
        public var propertyName: String
        public var rect: DiagramRect
        public var name: String
        public var marks: [Mark]
        public var type: String
    }

    /// A label beside a property's name.
    public enum Mark: String, CaseIterable, Hashable, Sendable {
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
    public struct Line: Hashable, Sendable {
        public enum Kind: Hashable, Sendable {
            case relationship
            case oneWay
            case inheritance
        }

        public struct End: Hashable, Sendable {
            /// The index of the box.
            public var box: Int
            /// The relationship at which the line ends, if any.
            public var relationshipName: String?
            public var shape: Shape
        }

        /// The shape where a line meets a box, which shows how many of its objects the other end refers to.
        public enum Shape: Hashable, Sendable {
            case one
            case zeroOrOne
            case oneOrMore
            case many
            case arrow
            case doubleArrow
            case triangle
            case plain
        }

        public var kind: Kind
        public var start: End
        public var end: End
        /// The path from border to border. Each step is horizontal or vertical, the first and last horizontal.
        public var points: [DiagramPoint]
        /// An index that distinguishes parallel lines.
        public var color: Int
        public var tooltip: String
    }

    public struct Label: Hashable, Sendable {
        public enum Kind: Hashable, Sendable {
            case title
            case note
        }

        public var kind: Kind
        public var text: String
        public var rect: DiagramRect
    }

    /// A symbol and its meaning.
    public struct LegendItem: Hashable, Sendable {
        public enum Sign: Hashable, Sendable {
            case line(Line.Shape)
            case mark(Mark)
            case text(String)
        }

        public var sign: Sign
        public var text: String
        public var rect: DiagramRect
    }
}
