// SPDX-License-Identifier: Apache-2.0

public import XML

/// XML attributes and elements that the engine doesn't use, kept so that conversions lose nothing.
public struct Extras: Hashable, Sendable {
    public var attributes: [XMLAttribute]
    public var elements: [XMLElement]

    public init(attributes: [XMLAttribute] = [], elements: [XMLElement] = []) {
        self.attributes = attributes
        self.elements = elements
    }

    public var isEmpty: Bool { attributes.isEmpty && elements.isEmpty }

    public subscript(attribute name: String) -> String? {
        attributes.first { $0.name == name }?.value
    }
}
