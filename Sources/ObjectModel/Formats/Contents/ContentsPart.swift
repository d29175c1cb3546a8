// SPDX-License-Identifier: Apache-2.0

// A part of a model that is one XML element, with a lossless conversion in both directions: whatever writing the value
// wouldn't reproduce exactly is kept in its extras, and restored where it still agrees with the value.

import XML

protocol ContentsPart {
    static var elementNames: ElementNames { get }

    var extras: Extras { get set }

    /// Reads the attributes and groups of an element, but not its parts and extras.
    init(_ element: XMLElement, _ reader: inout ContentsReader)

    /// Reads the child elements that are parts.
    mutating func readParts(of element: XMLElement, _ reader: inout ContentsReader)

    /// The attributes that express the value; nil ones are not written.
    var plainAttributes: KeyValuePairs<String, String?> { get }

    /// The child elements without extras.
    var groups: [XMLElement] { get }

    /// The child elements that are parts.
    var parts: [XMLElement] { get }

    /// The position of an attribute among the others.
    static func rank(of attribute: String, in element: XMLElement) -> Int
}

extension ContentsPart {
    mutating func readParts(of element: XMLElement, _ reader: inout ContentsReader) {}

    var groups: [XMLElement] { [] }

    var parts: [XMLElement] { [] }

    static func rank(of attribute: String, in element: XMLElement) -> Int {
        elementNames.rank(ofAttribute: attribute)
    }

    /// The element without parts and extras.
    var plainElement: XMLElement {
        XMLElement(
            Self.elementNames.element,
            attributes: plainAttributes.compactMap { name, value in value.map { XMLAttribute(name: name, value: $0) } },
            children: groups.map(XMLNode.element)
        )
    }

    /// The complete element, as Xcode would write it.
    var contentsElement: XMLElement {
        var element = extras.isEmpty ? plainElement : plainElementWithExtras()
        element.children = parts.map(XMLNode.element) + element.children
        element.children.sortStably { $0.element.map { Self.elementNames.rank(ofElement: $0.name) } ?? 0 }
        let unsorted = element
        element.attributes.sortStably { Self.rank(of: $0.name, in: unsorted) }
        return element
    }

    private func plainElementWithExtras() -> XMLElement {
        let plain = plainElement
        var element = plain
        var doubtful: [(inout XMLElement) -> Void] = []
        for extra in extras.attributes {
            if Self.elementNames.attributes[extra.name]?.use == .read {
                doubtful.append { $0[extra.name] = extra.value }
            } else {
                element[extra.name] = extra.value
            }
        }
        var grouped: [XMLElement] = []
        for extra in extras.elements {
            if Self.elementNames.elements[extra.name]?.use == .group {
                grouped.append(extra)
            } else {
                element.append(extra)
            }
        }
        if !grouped.isEmpty {
            doubtful.append { element in
                let names = Set(grouped.map(\.name))
                element.children.removeAll { $0.element.map { names.contains($0.name) } ?? false }
                for group in grouped { element.append(group) }
            }
        }
        return element.applying(doubtful) { candidate in
            var reader = ContentsReader(file: nil)
            return Self(candidate, &reader).plainElement == plain
        }
    }
}

extension XMLElement {
    /// Applies all changes if the result is allowed, otherwise each change for which it is.
    fileprivate func applying(
        _ changes: [(inout XMLElement) -> Void],
        where isAllowed: (XMLElement) -> Bool
    ) -> XMLElement {
        guard !changes.isEmpty else { return self }
        var changed = self
        for change in changes { change(&changed) }
        if isAllowed(changed) { return changed }
        return changes.reduce(self) { element, change in
            var candidate = element
            change(&candidate)
            return isAllowed(candidate) ? candidate : element
        }
    }
}

extension Array {
    /// Sorts by rank, keeping the order of elements of equal rank.
    mutating func sortStably(by rank: (Element) -> Int) {
        let ranks = map(rank)
        guard zip(ranks, ranks.dropFirst()).contains(where: >) else { return }
        self = indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }.map { self[$0] }
    }
}
