// SPDX-License-Identifier: Apache-2.0

// Names: well formed, unique and without conflicts.

import Predicates

extension ModelCheck {
    mutating func checkEntityNames() {
        var seen: Set<String> = []
        var byCase: [String: Entity] = [:]
        for entity in model.entities {
            let name = entity.name
            if name.isEmpty, isUnread(nil) { continue }
            if !name.isIdentifier {
                report(
                    .entityName,
                    name,
                    "“\(name)” can't be the name of an entity.",
                    hint: Self.identifierHint
                )
            } else if name.first!.isLowercase {
                report(.entityLowercase, name, "Xcode wants entity names to begin with a capital letter.")
            }
            if !seen.insert(name).inserted {
                report(.entityDuplicate, name, "There is more than one entity \(name).")
            } else if let other = byCase.updateValue(entity, forKey: name.lowercased()) {
                let areTables = entity.parentName == nil && other.parentName == nil
                report(
                    .entityCase,
                    isMild: !areTables,
                    name,
                    "\(name) and \(other.name) differ in case only"
                        + (areTables ? ", and tables of a SQLite store can't be told apart by case." : ".")
                )
            }
        }
    }

    mutating func checkPropertyNames(of entity: Entity) {
        var seen: Set<String> = []
        var byCase: [String: String] = [:]
        for property in entity.properties {
            let name = property.name
            if !seen.insert(name).inserted {
                report(.propertyDuplicate, entity.name, name, "\(entity.name) has more than one “\(name)”.")
            } else if let other = byCase.updateValue(name, forKey: name.lowercased()) {
                report(
                    .propertyCase,
                    entity.name,
                    name,
                    "“\(name)” and “\(other)” of \(entity.name) differ in case only."
                )
            }
            if let ancestor = hierarchy.declarer(of: name, above: entity) {
                report(
                    .propertyInherited,
                    entity.name,
                    name,
                    "\(entity.name) inherits “\(name)” from \(ancestor.name) and declares it again.",
                    hint: "Remove one of the two."
                )
            }
        }
    }

    mutating func checkName(of name: String, in entity: Entity) {
        if name.isEmpty, isUnread(entity.name) { return }
        guard name.isIdentifier else {
            let message = "“\(name)” can't be the name of a property."
            return report(.propertyName, entity.name, name, message, hint: Self.identifierHint)
        }
        if Self.reservedNames.contains(name) {
            let message = "Every object has a “\(name)” of its own already."
            return report(.propertyReserved, entity.name, name, message, hint: "Choose another name.")
        }
        if Self.riskyNames.contains(name) {
            let message = "“\(name)” gets in the way of what every Core Data object has by that name."
            report(.propertyRisky, entity.name, name, message)
        }
        if name.first!.isUppercase {
            let message = "Xcode wants property names to begin with a small letter."
            report(.propertyUppercase, entity.name, name, message)
        }
        if (try? ObjectExpression(template: name)) != .keyPath(of: .evaluatedObject, [.name(name)]) {
            let message = "“\(name)” is a word of the predicate language."
            report(.propertyKeyword, entity.name, name, message, hint: "Write it #\(name) in predicates.")
        }
    }

    private static let identifierHint = "Names consist of letters, digits and _, and don't begin with a digit."

    /// Names that Core Data rejects, since they would hide members of the object.
    private static let reservedNames: Set = [
        "class", "description", "entity", "hasChanges", "hash", "isDeleted", "isFault", "isInserted", "isUpdated",
        "managedObjectContext", "objectID", "self", "superclass", "zone",
    ]

    /// Names that Core Data accepts, though the object has members of almost the same name.
    private static let riskyNames: Set = [
        "changedValues", "copy", "debugDescription", "deleted", "fault", "faultingState", "hasPersistentChangedValues",
        "init", "inserted", "observationInfo", "updated",
    ]
}

extension String {
    /// Whether it can be the name of an entity, a property or a composite.
    var isIdentifier: Bool {
        guard let first, first.isLetter || first == "_" else { return false }
        return allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }
}
