// SPDX-License-Identifier: Apache-2.0

// What a source says that the engine has no use for, carried along so that nothing is lost in a conversion.

public import XML

/// Attributes and elements of the model's XML that mean something to Xcode only, or to nobody known.
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
