// SPDX-License-Identifier: Apache-2.0

// Where everything in a picture stands, as a value: the result of the layout and all that the drawing needs.

/// The geometry of a diagram.
public struct DiagramLayout: Hashable, Sendable {
    public var width: Double
    public var height: Double
    /// The boxes in the model's order of entities.
    public var boxes: [Box]
    public var lines: [Line]
    /// Texts outside the boxes: the headline, and what is said of things left out.
    public var labels: [Label]
    public var legend: [LegendItem]

    /// An entity.
    public struct Box: Hashable, Sendable {
        public var entityName: String
        public var rect: DiagramRect
        public var header: DiagramRect
        /// The name as it is shown, shortened where it is very long.
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
            /// The word on attributes that aren't shown.
            case more
        }

        public var kind: Kind
        public var propertyName: String
        public var rect: DiagramRect
        public var name: String
        public var marks: [Mark]
        public var type: String
    }

    /// A word beside a property's name.
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

    /// A relationship with its inverse, a relationship without one, or the step from an entity to its parent.
    public struct Line: Hashable, Sendable {
        public enum Kind: Hashable, Sendable {
            case relationship
            case oneWay
            case inheritance
        }

        public struct End: Hashable, Sendable {
            /// The index of the box that this end touches.
            public var box: Int
            /// The relationship in whose row the line ends, if it does.
            public var relationshipName: String?
            public var shape: Shape
        }

        /// What is drawn where a line meets a box: how many of that box's objects the other end has.
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
        /// From border to border; each step is horizontal or vertical, the first and the last horizontal.
        public var points: [DiagramPoint]
        /// Tells lines that run side by side apart.
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

    /// A sign and what it means.
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
