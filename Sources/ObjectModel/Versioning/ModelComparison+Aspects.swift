// SPDX-License-Identifier: Apache-2.0

// The aspects in which two versions of something differ. Names are mapped to the new version first, so that a rename is
// reported once, where it happened.

import Basics
import Predicates

extension ModelComparison {
    func modelAspects() -> [AspectChange] {
        var list = AspectList()
        list.add(.composites, old.composites, new.composites)
        list.add(.configurations, old.configurations, new.configurations)
        list.add(.fetchRequestTemplates, old.fetchRequestTemplates, new.fetchRequestTemplates)
        list.addValue(.versionIdentifiers, .texts(old.versionIdentifiers), .texts(new.versionIdentifiers))
        return list.changes
    }

    func aspects(of pair: EntityPair) -> [AspectChange] {
        let old = pair.old
        let new = pair.new
        var list = AspectList()
        list.addText(.parent, old.parentName.map(newName(ofEntity:)), new.parentName)
        list.addFlag(.abstract, old.isAbstract, new.isAbstract)
        let constraints = old.uniquenessConstraints.map { names in
            names.map { newName(ofProperty: $0, of: old.name) }
        }
        list.addValue(.constraints, constraints.value, new.uniquenessConstraints.value)
        list.addText(.versionHashModifier, old.versionHashModifier, new.versionHashModifier)
        list.addText(.className, old.className, new.className)
        list.add(.indexes, old.fetchIndexes, new.fetchIndexes)
        list.add(.indexes, old.compoundIndexes, new.compoundIndexes)
        list.addValue(.userInfo, old.userInfo.value, new.userInfo.value, differ: old.userInfo != new.userInfo)
        list.addText(.renamingIdentifier, old.renamingIdentifier, new.renamingIdentifier)
        return list.changes
    }

    func aspects(from old: Property, to new: Property) -> [AspectChange] {
        switch (old, new) {
        case (.attribute(let old), .attribute(let new)): return aspects(from: old, to: new)
        case (.relationship(let old), .relationship(let new)): return aspects(from: old, to: new)
        case (.fetched(let old), .fetched(let new)):
            var list = AspectList()
            list.addFlag(.optional, old.isOptional, new.isOptional)
            list.add(.fetchRequest, old.fetchRequest, new.fetchRequest)
            list.addValue(.userInfo, old.userInfo.value, new.userInfo.value, differ: old.userInfo != new.userInfo)
            return list.changes
        default: return [AspectChange(.kind, old: .string(old.kindName), new: .string(new.kindName))]
        }
    }

    private func aspects(from old: Attribute, to new: Attribute) -> [AspectChange] {
        var list = AspectList()
        switch (old.type, new.type) {
        case (.transformable(let old), .transformable(let new)): list.addText(.transformer, old, new)
        case (.composite(let old), .composite(let new)):
            switch (oldComposites[old], newComposites[new]) {
            case (nil, nil): list.addText(.composite, old, new)
            case (let before, let after): list.add(.composite, before, after)
            }
        default: list.addText(.type, old.type.name, new.type.name, differ: old.type != new.type)
        }
        list.addFlag(.optional, old.isOptional, new.isOptional)
        list.addFlag(.transient, old.isTransient, new.isTransient)
        list.addFlag(.derived, old.isDerived, new.isDerived)
        if old.isDerived, new.isDerived { list.addText(.derivation, old.derivation, new.derivation) }
        list.addText(.versionHashModifier, old.versionHashModifier, new.versionHashModifier)
        list.addValue(.defaultValue, old.defaultValue ?? .null, new.defaultValue ?? .null)
        list.addValue(.validation, old.validation, new.validation)
        list.addFlag(.externalStorage, old.allowsExternalStorage, new.allowsExternalStorage)
        list.addFlag(.preservation, old.isPreservedAfterDeletion, new.isPreservedAfterDeletion)
        list.addFlag(.searchIndex, old.isSearchIndexed, new.isSearchIndexed)
        list.addFlag(.index, old.isIndexed, new.isIndexed)
        list.addValue(.userInfo, old.userInfo.value, new.userInfo.value, differ: old.userInfo != new.userInfo)
        list.addText(.renamingIdentifier, old.renamingIdentifier, new.renamingIdentifier)
        return list.changes
    }

    private func aspects(from old: Relationship, to new: Relationship) -> [AspectChange] {
        var list = AspectList()
        list.addText(.destination, newName(ofEntity: old.destinationName), new.destinationName)
        let inverse = old.inverseName.map { newName(ofProperty: $0, of: old.destinationName) }
        list.addText(.inverse, inverse, new.inverseName)
        list.addFlag(.toMany, old.isToMany, new.isToMany)
        list.addFlag(.ordered, old.isOrdered, new.isOrdered)
        list.addText(.counts, old.counts, new.counts, differ: old.isToMany == new.isToMany && old.counts != new.counts)
        list.addFlag(.optional, old.isOptional, new.isOptional)
        list.addFlag(.transient, old.isTransient, new.isTransient)
        list.addText(.versionHashModifier, old.versionHashModifier, new.versionHashModifier)
        list.addText(.deleteRule, old.deleteRule.rawValue, new.deleteRule.rawValue)
        list.addValue(.userInfo, old.userInfo.value, new.userInfo.value, differ: old.userInfo != new.userInfo)
        list.addText(.renamingIdentifier, old.renamingIdentifier, new.renamingIdentifier)
        return list.changes
    }
}

/// Collects differing aspects without repetition.
private struct AspectList {
    var changes: [AspectChange] = []

    mutating func add<T: Equatable>(_ aspect: ModelAspect, _ old: T, _ new: T) {
        guard old != new, !changes.contains(where: { $0.aspect == aspect }) else { return }
        changes.append(AspectChange(aspect))
    }

    mutating func addText(_ aspect: ModelAspect, _ old: String?, _ new: String?, differ: Bool? = nil) {
        addValue(aspect, old.map(Value.string) ?? .null, new.map(Value.string) ?? .null, differ: differ)
    }

    mutating func addFlag(_ aspect: ModelAspect, _ old: Bool, _ new: Bool) {
        addValue(aspect, .bool(old), .bool(new))
    }

    mutating func addValue(_ aspect: ModelAspect, _ old: Value, _ new: Value, differ: Bool? = nil) {
        if differ ?? (old != new) { changes.append(AspectChange(aspect, old: old, new: new)) }
    }
}

extension [[String]] {
    /// The constraints with their order and that of their names normalised.
    fileprivate var value: Value {
        .array(map { $0.inBinaryOrder() }.sorted { $0.lexicographicallyPrecedes($1) }.map(Value.texts))
    }
}

extension Attribute {
    /// The validation rules, by their names in the JSON format.
    fileprivate var validation: Value {
        let rules: [String: Value?] = [
            "min": minimumValue,
            "max": maximumValue,
            "minLength": minimumLength.map { .integer(Int64($0)) },
            "maxLength": maximumLength.map { .integer(Int64($0)) },
            "pattern": regularExpression.map(Value.string),
        ]
        return .dictionary(rules.compactMapValues(\.self))
    }
}

extension UserInfo {
    // Qualified, since `Value` would be the dictionary literal's associated type here.
    fileprivate var value: Predicates.Value {
        .dictionary(Dictionary(keepingFirst: entries.map { ($0.key, .string($0.value)) }))
    }
}

extension Value {
    fileprivate static func texts(_ texts: [String]) -> Value { .array(texts.map(Value.string)) }
}

extension Relationship {
    /// The bounds of the count, for messages. Unbounded and zero are equivalent.
    fileprivate var counts: String {
        let maximum = isToMany ? maximumCount ?? 0 : 1
        return "\(minimumCount ?? 0)...\(maximum == 0 ? "" : "\(maximum)")"
    }
}
