// SPDX-License-Identifier: Apache-2.0

extension ModelDiff: CustomStringConvertible {
    /// One line for each change, in order: `User.age: type Int16 → Int64`.
    public var lines: [String] {
        entities.flatMap(\.lines) + aspects.map { "model: \($0)" }
    }

    public var description: String { lines.joined(separator: "\n") }
}

extension EntityChange {
    /// The line about the entity itself, if any, and those about its properties.
    public var lines: [String] {
        switch kind {
        case .added: return ["\(name): added"]
        case .removed: return ["\(name): removed"]
        case .changed:
            let own = (oldName.map { ["renamed from \($0)"] } ?? []) + aspects.map(\.description)
            return (own.isEmpty ? [] : ["\(name): \(own.joined(separator: ", "))"])
                + properties.map { "\(name).\($0)" }
        }
    }

    /// The lines about changes that affect storage.
    public var storageLines: [String] {
        EntityChange(
            kind: kind,
            name: name,
            oldName: oldName,
            aspects: aspects.filter(\.aspect.changesStorage),
            properties: properties.filter(\.changesStorage).map { property in
                PropertyChange(
                    kind: property.kind,
                    property: property.property,
                    oldName: property.oldName,
                    aspects: property.aspects.filter(\.aspect.changesStorage)
                )
            }
        ).lines
    }
}

extension PropertyChange: CustomStringConvertible {
    public var description: String {
        var parts: [String] = []
        switch kind {
        case .added: parts.append("\(property.kindName) added")
        case .removed: parts.append("\(property.kindName) removed")
        case .movedFrom(let entity): parts.append("moved here from \(entity)")
        case .movedTo(let entity): parts.append("moved to \(entity)")
        case .changed: break
        }
        if let oldName { parts.append("renamed from \(oldName)") }
        return "\(name): " + (parts + aspects.map(\.description)).joined(separator: ", ")
    }
}
