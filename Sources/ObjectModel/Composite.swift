// SPDX-License-Identifier: Apache-2.0

/// A type made of attributes, for attributes that hold several values under one name. Composites can be nested.
public struct Composite: Hashable, Sendable {
    public var name: String
    public var attributes: [Attribute]
    public var extras: Extras

    public init(name: String, attributes: [Attribute], extras: Extras = Extras()) {
        self.name = name
        self.attributes = attributes
        self.extras = extras
    }
}
