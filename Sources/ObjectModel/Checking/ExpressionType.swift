// SPDX-License-Identifier: Apache-2.0

import Predicates

/// The type of an expression as far as the model determines it, no finer than comparisons need.
indirect enum ExpressionType: Hashable {
    /// Compatible with everything: variables, arguments, transformable values.
    case unknown
    case null
    case bool
    case number
    /// Strings and URIs, which are comparable with each other.
    case text
    case date
    case data
    case uuid
    case reference
    /// An object of the entity of this name.
    case object(String)
    /// The attributes of the composite of this name.
    case composite(String)
    /// A list, such as one of constants.
    case list(ExpressionType)
    /// The destination of a to-many relationship.
    case collection(ExpressionType)

    init(_ type: AttributeType, in model: Model) {
        self =
            switch type {
            case .int16, .int32, .int64, .decimal, .double, .float: .number
            case .string, .uri: .text
            case .bool: .bool
            case .date: .date
            case .binary: .data
            case .uuid: .uuid
            case .objectID: .reference
            case .composite(let name) where model.composite(named: name) != nil: .composite(name)
            case .transformable, .undefined, .composite: .unknown
            }
    }

    init(_ value: Value) {
        self =
            switch value {
            case .null: .null
            case .bool: .bool
            case .integer, .double, .decimal: .number
            case .string, .uri: .text
            case .date: .date
            case .data: .data
            case .uuid: .uuid
            case .reference: .reference
            case .array(let values): .list(Self.common(values.lazy.map { Self($0) }))
            case .dictionary: .unknown
            }
    }

    /// The type that all have in common; unknown if they differ or there are none.
    static func common(_ types: some Sequence<ExpressionType>) -> ExpressionType {
        var common: ExpressionType?
        for type in types where type != .null {
            if let common, common != type { return .unknown }
            common = type
        }
        return common ?? .unknown
    }

    /// The type of a member of a list or collection.
    var member: ExpressionType? {
        switch self {
        case .list(let member), .collection(let member): member
        default: nil
        }
    }

    /// Whether it is a single value without members.
    var isScalar: Bool {
        switch self {
        case .bool, .number, .text, .date, .data, .uuid, .reference, .object: true
        case .unknown, .null, .composite, .list, .collection: false
        }
    }

    var isCollection: Bool {
        if case .collection = self { true } else { false }
    }

    /// Whether values of the two types can be equal.
    func isComparable(to other: ExpressionType) -> Bool {
        switch (self, other) {
        case (.unknown, _), (_, .unknown), (.null, _), (_, .null): true
        case (.number, .bool), (.bool, .number): true
        case (.object, .reference), (.reference, .object), (.object, .object): true
        case (.list(let one), .list(let other)), (.collection(let one), .collection(let other)),
            (.list(let one), .collection(let other)), (.collection(let one), .list(let other)):
            one.isComparable(to: other)
        default: self == other
        }
    }

    /// The type in words, with an article.
    var words: String {
        switch self {
        case .unknown: "anything"
        case .null: "nil"
        case .bool: "a Bool"
        case .number: "a number"
        case .text: "text"
        case .date: "a date"
        case .data: "binary data"
        case .uuid: "a UUID"
        case .reference: "an object ID"
        case .object(let name): "an object of \(name)"
        case .composite(let name): "a composite \(name)"
        case .list: "a list"
        case .collection: "a collection"
        }
    }
}
