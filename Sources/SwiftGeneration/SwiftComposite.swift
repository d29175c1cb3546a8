// SPDX-License-Identifier: Apache-2.0

// A composite as a Swift struct.

import ObjectModel

struct SwiftComposite {
    let file: GeneratedFile

    init(_ composite: Composite, _ names: SwiftNames, _ access: AccessLevel) {
        let type = names.compositeName(composite.name)
        let attributes = composite.attributes.sorted { $0.name < $1.name }
        let members = attributes.map { (names.property($0.name, of: composite), names.type(of: $0)) }
        let fields = SwiftStruct(type, ["CompositeValue", "Codable", "Hashable"], members, access)
        var conversions = ["extension \(type) {", "    \(access.modifier)init(_ members: CompositeMembers) {"]
        for (attribute, member) in zip(attributes, members) {
            conversions.append("        self.\(member.0) = members[\"\(attribute.name)\"]")
        }
        conversions += ["    }", ""]
        if attributes.isEmpty {
            conversions.append("    \(access.modifier)var members: CompositeMembers { [:] }")
        } else {
            conversions += ["    \(access.modifier)var members: CompositeMembers {", "        ["]
            for (attribute, member) in zip(attributes, members) {
                conversions.append("            \"\(attribute.name)\": self.\(member.0).value,")
            }
            conversions += ["        ]", "    }"]
        }
        conversions.append("}")
        var parts = [fields.lines, conversions]
        if !attributes.isEmpty {
            var keys = ["extension CompositeKeys where Composite == \(type) {"]
            for (attribute, member) in zip(attributes, members) {
                let head = "\(access.modifier)var \(SwiftNames.declared(member.0)): AttributeKey<\(member.1)> {"
                let line = SwiftEntity.oneLine(head, "self[attribute: \"\(attribute.name)\"]", indent: 4)
                keys += line.map { "    " + $0 }
            }
            parts.append(keys + ["}"])
        }
        file = GeneratedFile(type, imports: SwiftNames.imports(for: attributes), access, parts)
    }
}
