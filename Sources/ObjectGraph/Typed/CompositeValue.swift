// SPDX-License-Identifier: Apache-2.0

// Composite attributes as Swift structs.

import Basics
public import Predicates

/// A struct that represents a composite of the model.
///
///     struct Address: CompositeValue {
///         var city: String?
///
///         init(_ members: CompositeMembers) { city = members["city"] }
///
///         var members: CompositeMembers { ["city": city.value] }
///     }
public protocol CompositeValue: AttributeValue {
    init(_ members: CompositeMembers)

    var members: CompositeMembers { get }
}

extension CompositeValue {
    public init?(attributeValue: Value) {
        guard case .dictionary(let values) = attributeValue else { return nil }
        self.init(CompositeMembers(values))
    }

    public var value: Value { .dictionary(members.values) }

    public static var absent: Self { Self(CompositeMembers([:])) }
}

/// The members of a composite by name.
public struct CompositeMembers: ExpressibleByDictionaryLiteral, Sendable {
    let values: [String: Value]

    init(_ values: [String: Value]) {
        self.values = values
    }

    public init(dictionaryLiteral elements: (String, Value)...) {
        values = Dictionary(keepingFirst: elements)
    }

    /// A member, or the absent value if there is none of the type.
    public subscript<Content: AttributeValue>(name: String) -> Content {
        values[name].flatMap(Content.init(attributeValue:)) ?? .absent
    }
}

/// The keys of a composite's attributes, for predicates and sort orders; generated code extends it.
public struct CompositeKeys<Composite: CompositeValue>: Sendable {
    let path: KeySteps

    /// The key of an attribute.
    public subscript<Content>(attribute name: String) -> AttributeKey<Content> { AttributeKey(path.adding(name)) }
}
