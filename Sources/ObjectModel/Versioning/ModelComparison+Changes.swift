// SPDX-License-Identifier: Apache-2.0

extension ModelComparison {
    func entityChanges() -> [EntityChange] {
        let changes = entities.compactMap { entity, pair in
            pair.map(change(of:))
                ?? EntityChange(kind: .added, name: entity.name, oldName: nil, aspects: [], properties: [])
        }
        return changes
            + removed.map { EntityChange(kind: .removed, name: $0.name, oldName: nil, aspects: [], properties: []) }
    }

    private func change(of pair: EntityPair) -> EntityChange? {
        let change = EntityChange(
            kind: .changed,
            name: pair.new.name,
            oldName: pair.old.name == pair.new.name ? nil : pair.old.name,
            aspects: aspects(of: pair),
            properties: propertyChanges(of: pair)
        )
        let isUnchanged = change.oldName == nil && change.aspects.isEmpty && change.properties.isEmpty
        return isUnchanged ? nil : change
    }

    private func propertyChanges(of pair: EntityPair) -> [PropertyChange] {
        let changed = pair.properties.compactMap { property -> PropertyChange? in
            let change = PropertyChange(
                kind: .changed,
                property: property.new,
                oldName: property.oldName,
                aspects: aspects(from: property.old, to: property.new)
            )
            return change.oldName == nil && change.aspects.isEmpty ? nil : change
        }
        let added = pair.added.map { property in
            guard let before = predecessor(of: property, in: pair.old), before.declaring.name != pair.old.name else {
                return PropertyChange(kind: .added, property: property, oldName: nil, aspects: [])
            }
            return PropertyChange(
                kind: .movedFrom(newName(ofEntity: before.declaring.name)),
                property: property,
                oldName: before.property.name == property.name ? nil : before.property.name,
                aspects: aspects(from: before.property, to: property)
            )
        }
        let removed = pair.removed.map { property in
            guard let after = successor(of: property, in: pair.new), after.declaring.name != pair.new.name else {
                return PropertyChange(kind: .removed, property: property, oldName: nil, aspects: [])
            }
            return PropertyChange(
                kind: .movedTo(after.declaring.name),
                property: after.property,
                oldName: after.property.name == property.name ? nil : property.name,
                aspects: aspects(from: property, to: after.property)
            )
        }
        return changed + added + removed
    }
}

extension ModelComparison.PropertyPair {
    var oldName: String? { old.name == new.name ? nil : old.name }
}
