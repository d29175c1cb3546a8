// SPDX-License-Identifier: Apache-2.0

// The shared state of reading a model's XML: the current location and the issues found.

import SourceText
import XML

struct ContentsReader {
    let file: String?
    private(set) var issues: [ModelIssue] = []
    private var entity: String?
    private var property: String?

    init(file: String?) {
        self.file = file
    }

    /// Reads an element with its parts and extras.
    mutating func read<Part: ContentsPart>(_ element: XMLElement) -> Part {
        let outer = (entity, property)
        defer { (entity, property) = outer }
        switch element.name {
        case "entity", "composite": entity = element["name"]
        case "attribute", "relationship", "fetchedProperty", "fetchIndex": property = element["name"]
        default: break
        }
        var part = Part(element, &self)
        part.readParts(of: element, &self)
        part.extras = leftovers(of: element, beside: part)
        return part
    }

    /// Reads the child elements of this name.
    mutating func read<Part: ContentsPart>(_ name: String, of element: XMLElement) -> [Part] {
        var parts: [Part] = []
        for case .element(let child) in element.children where child.name == name { parts.append(read(child)) }
        return parts
    }

    mutating func report(
        _ code: ModelIssue.Code,
        isMild: Bool = false,
        at element: XMLElement,
        _ message: String,
        hint: String? = nil
    ) {
        let place = ModelIssue.Place(
            file: file,
            line: element.position?.line,
            column: element.position?.column,
            entity: entity,
            property: property
        )
        issues.append(ModelIssue(code, isMild: isMild, at: place, message, hint: hint))
    }

    private mutating func leftovers<Part: ContentsPart>(of element: XMLElement, beside part: Part) -> Extras {
        let plain = part.plainElement
        var extras = Extras()
        for attribute in element.attributes where plain[attribute.name] != attribute.value {
            extras.attributes.append(attribute)
            if Part.elementNames.attributes[attribute.name] == nil {
                reportUnknown(attribute, of: element)
            }
        }
        // Their order has no meaning, so they are sorted as they are written.
        extras.attributes.sortStably { Part.elementNames.rank(ofAttribute: $0.name) }
        let hasLayoutOnly = element.children.allSatisfy { $0.element != nil || $0.isWhitespace }
        if !hasLayoutOnly, !element.text.utf8.allSatisfy({ $0 <= 0x20 }) {
            report(.modelText, at: element, "The text in <\(element.name)> is ignored.")
        }
        guard element.children.contains(where: { $0.element != nil }) else { return extras }
        let faithful = faithfulGroups(of: element, in: plain)
        var seen: Set<String> = []
        for child in element.elements {
            let isFirst = seen.insert(child.name).inserted
            switch Part.elementNames.elements[child.name]?.use {
            case .part: continue
            case .onePart where isFirst: continue
            case .group where faithful.contains(child.name): continue
            case .onePart:
                report(.modelSecond, at: child, "<\(element.name)> has more than one <\(child.name)>.")
            case .group: reportUnknown(in: child, ElementNames.groups[child.name])
            case .carried: break
            case nil: reportUnknown(child, in: element)
            }
            extras.elements.append(child.withoutLayout())
        }
        extras.elements.sortStably { Part.elementNames.rank(ofElement: $0.name) }
        return extras
    }

    /// Reports unknown content within an element that is read as a whole.
    private mutating func reportUnknown(in element: XMLElement, _ names: ElementNames?) {
        guard let names else { return }
        for attribute in element.attributes where names.attributes[attribute.name] == nil {
            reportUnknown(attribute, of: element)
        }
        for child in element.elements {
            if names.elements[child.name] == nil {
                reportUnknown(child, in: element)
            } else {
                reportUnknown(in: child, ElementNames.groups[child.name])
            }
        }
    }

    private mutating func reportUnknown(_ attribute: XMLAttribute, of element: XMLElement) {
        let message = "The unknown attribute “\(attribute.name)” of <\(element.name)> is preserved."
        report(.modelUnknown, at: element, message)
    }

    private mutating func reportUnknown(_ child: XMLElement, in element: XMLElement) {
        report(.modelUnknown, at: child, "The unknown element <\(child.name)> in <\(element.name)> is preserved.")
    }

    /// The names of the child elements that writing would reproduce exactly.
    private func faithfulGroups(of element: XMLElement, in plain: XMLElement) -> Set<String> {
        var written: [String: [XMLElement]] = [:]
        for group in plain.elements { written[group.name, default: []].append(group) }
        guard !written.isEmpty else { return [] }
        var found: [String: [XMLElement]] = [:]
        for child in element.elements where written[child.name] != nil {
            found[child.name, default: []].append(child.withoutLayout())
        }
        return Set(written.keys.filter { written[$0] == found[$0] })
    }
}
