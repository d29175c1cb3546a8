// SPDX-License-Identifier: Apache-2.0
// The tree of an XML text.

public import SourceText

/// An element with its attributes in order and all of its children, layout included.
///
/// ```swift
/// let model = try XMLElement(parsing: #"<model><entity name="Color"/></model>"#)
/// model.first(named: "entity")?["name"]  // "Color"
/// ```
///
/// Names are kept as written: a prefix and its colon are part of the name.
public struct XMLElement: Sendable {
    public var name: String
    public var attributes: [XMLAttribute]
    public var children: [XMLNode]
    /// The position of the start tag, for elements that were read; ignored by equality.
    public var position: TextPosition?

    public init(
        _ name: String,
        attributes: [XMLAttribute] = [],
        children: [XMLNode] = [],
        position: TextPosition? = nil
    ) {
        self.name = name
        self.attributes = attributes
        self.children = children
        self.position = position
    }

    /// Creates an element with child elements, as in `XMLElement("entity", ["name": "Color"], [attribute])`.
    public init(_ name: String, _ attributes: KeyValuePairs<String, String>, _ elements: [XMLElement] = []) {
        self.init(
            name,
            attributes: attributes.map { XMLAttribute(name: $0.key, value: $0.value) },
            children: elements.map(XMLNode.element)
        )
    }

    /// Creates an element with text, as in `XMLElement("key", text: "CFBundleName")`.
    public init(_ name: String, text: String) {
        self.init(name, children: text.isEmpty ? [] : [.text(text)])
    }

    /// The value of an attribute. Setting replaces it in place or appends it; nil removes it.
    public subscript(_ attribute: String) -> String? {
        get { attributes.first { $0.name == attribute }?.value }
        set {
            let index = attributes.firstIndex { $0.name == attribute }
            switch (index, newValue) {
            case (let index?, let value?): attributes[index].value = value
            case (let index?, nil): attributes.remove(at: index)
            case (nil, let value?): attributes.append(XMLAttribute(name: attribute, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The child elements, in order.
    public var elements: [XMLElement] { children.compactMap(\.element) }

    /// The child elements with a name, in order.
    public func elements(named name: String) -> [XMLElement] {
        children.compactMap { node in
            if case .element(let element) = node, element.name == name { element } else { nil }
        }
    }

    /// The first child element with a name.
    public func first(named name: String) -> XMLElement? {
        for case .element(let element) in children where element.name == name { return element }
        return nil
    }

    /// The concatenated text directly in this element, without the text of child elements.
    public var text: String {
        var joined = ""
        for case .text(let text) in children { joined += text }
        return joined
    }

    public mutating func append(_ element: XMLElement) {
        children.append(.element(element))
    }
}
