// SPDX-License-Identifier: Apache-2.0

// Determines what prevents an inferred migration, and what the migration loses. The rules are those of Core Data's
// lightweight migration.

struct MigrationReview {
    let comparison: ModelComparison
    private(set) var obstacles: [ModelIssue] = []
    private(set) var consequences: [ModelIssue] = []

    init(_ comparison: ModelComparison) {
        self.comparison = comparison
    }

    mutating func review() {
        reviewNames()
        reviewHierarchies()
        for pair in comparison.pairs {
            review(pair)
            reviewInheritance(pair)
            for property in pair.properties { review(from: property.old, to: property.new, in: pair.new) }
            for property in pair.added { reviewAdded(property, pair: pair) }
            for property in pair.removed { reviewRemoved(property, pair: pair) }
        }
        reviewConversions()
        reviewRules()
        for entity in comparison.removed where !entity.isAbstract {
            addLoss(
                .migrationLossEntity,
                ModelIssue.Place(entity: entity.name),
                "All objects of \(entity.name) are deleted."
            )
        }
    }

    mutating func addObstacle(_ code: ModelIssue.Code, _ place: ModelIssue.Place, _ message: String, hint: String) {
        obstacles.append(ModelIssue(code, at: place, message, hint: hint))
    }

    mutating func dropObstacles(_ isUnneeded: (ModelIssue) -> Bool) { obstacles.removeAll(where: isUnneeded) }

    mutating func dropConsequences(_ isUnneeded: (ModelIssue) -> Bool) { consequences.removeAll(where: isUnneeded) }

    mutating func addLoss(_ code: ModelIssue.Code, _ place: ModelIssue.Place, _ message: String) {
        consequences.append(ModelIssue(code, at: place, message))
    }

    mutating func addNote(_ code: ModelIssue.Code, _ place: ModelIssue.Place, _ message: String) {
        consequences.append(ModelIssue(code, at: place, message))
    }

    /// Reports entities or properties that claim the same predecessor.
    private mutating func reviewNames() {
        func repeated(_ names: [VersionedName]) -> [VersionedName] {
            var seen: Set<String> = []
            return names.filter { !seen.insert($0.canonical).inserted }
        }
        let hint = "Give each a different renaming identifier."
        for name in repeated(comparison.new.entities.map(\.versionedName)) {
            addObstacle(
                .migrationAmbiguous,
                ModelIssue.Place(entity: name.name),
                "Several entities are renamed from “\(name.canonical)”.",
                hint: hint
            )
        }
        for entity in comparison.new.entities {
            for name in repeated(entity.properties.map(\.versionedName)) {
                addObstacle(
                    .migrationAmbiguous,
                    ModelIssue.Place(entity: entity.name, property: name.name),
                    "Several properties of \(entity.name) are renamed from “\(name.canonical)”.",
                    hint: hint
                )
            }
        }
    }

    /// Entities without a common ancestor can't be merged into a hierarchy, since their primary keys would collide.
    private mutating func reviewHierarchies() {
        let oldRoots = comparison.old.roots()
        let newRoots = comparison.new.roots()
        var origins: [String: String] = [:]
        for pair in comparison.pairs {
            guard let oldRoot = oldRoots[pair.old.name], let newRoot = newRoots[pair.new.name] else { continue }
            if let origin = origins[newRoot], origin != oldRoot {
                addObstacle(
                    .migrationHierarchy,
                    ModelIssue.Place(entity: pair.new.name),
                    "\(pair.new.name) moves into the hierarchy of \(newRoot), with which it had no common ancestor.",
                    hint: "Export the objects of one of them, and import them after the migration."
                )
            } else {
                origins[newRoot] = oldRoot
            }
        }
    }

    /// Reports types that change because an entity inherits an attribute from elsewhere.
    private mutating func reviewConversions() {
        for mapping in ModelMapping(comparison).entities {
            guard let source = mapping.source.flatMap(comparison.old.entity(named:)),
                let entity = comparison.new.entity(named: mapping.name)
            else { continue }
            let before = comparison.old.attributes(of: source)
            let after = comparison.new.attributes(of: entity)
            for attribute in mapping.attributes {
                guard let old = before.first(where: { $0.name == attribute.source }),
                    let new = after.first(where: { $0.name == attribute.name }), !new.isDerived,
                    !old.type.isConvertible(to: new.type), !obstacles.contains(where: { $0.place.property == new.name })
                else { continue }
                addTypeObstacle(from: old, to: new, ModelIssue.Place(entity: entity.name, property: new.name))
            }
        }
    }

    private mutating func review(_ pair: ModelComparison.EntityPair) {
        let place = ModelIssue.Place(entity: pair.new.name)
        if pair.new.isAbstract, !pair.old.isAbstract {
            addNote(
                .migrationAbstract,
                place,
                "\(pair.new.name) becomes abstract; objects without a subentity can't be migrated."
            )
        }
        let before = Set(
            pair.old.uniquenessConstraints.map { names in
                Set(names.map { comparison.newName(ofProperty: $0, of: pair.old.name) })
            }
        )
        for constraint in pair.new.uniquenessConstraints where !before.contains(Set(constraint)) {
            let names = constraint.joined(separator: ", ")
            addNote(
                .migrationUnique,
                place,
                "\(names) must be unique now: objects with equal values would stop a migration."
            )
        }
    }
}

extension Model {
    /// The name of each entity's root entity. An entity in or below a cycle of parents has none.
    fileprivate func roots() -> [String: String] {
        var roots: [String: String] = [:]
        for entity in entities {
            var line = [entity.name]
            var names = Set(line)
            var root: String? = entity.name
            while let name = line.last, roots[name] == nil, let parent = self.entity(named: name)?.parentName,
                self.entity(named: parent) != nil
            {
                guard names.insert(parent).inserted else {
                    root = nil
                    break
                }
                line.append(parent)
                root = parent
            }
            guard let root else { continue }
            for name in line { roots[name] = roots[root] ?? root }
        }
        return roots
    }
}
