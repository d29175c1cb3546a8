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
                report(.entityLowercase, name, "Xcode requires entity names to begin with a capital letter.")
            }
            if !seen.insert(name).inserted {
                report(.entityDuplicate, name, "Several entities have the name \(name).")
            } else if let other = byCase.updateValue(entity, forKey: name.lowercased()) {
                let areTables = entity.parentName == nil && other.parentName == nil
                report(
                    .entityCase,
                    isMild: !areTables,
                    name,
                    "\(name) and \(other.name) differ only in case"
                        + (areTables ? ", but names of SQLite tables are case-insensitive." : ".")
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
                report(.propertyDuplicate, entity.name, name, "\(entity.name) has several properties “\(name)”.")
            } else if let other = byCase.updateValue(name, forKey: name.lowercased()) {
                report(
                    .propertyCase,
                    entity.name,
                    name,
                    "“\(name)” and “\(other)” of \(entity.name) differ only in case."
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
            let message = "Every object already has a property “\(name)”."
            return report(.propertyReserved, entity.name, name, message, hint: "Choose another name.")
        }
        if Self.riskyNames.contains(name) {
            let message = "“\(name)” conflicts with a member of that name of every Core Data object."
            report(.propertyRisky, entity.name, name, message)
        }
        if name.first!.isUppercase {
            let message = "Xcode requires property names to begin with a lower-case letter."
            report(.propertyUppercase, entity.name, name, message)
        }
        if (try? ObjectExpression(template: name)) != .keyPath(of: .evaluatedObject, [.name(name)]) {
            let message = "“\(name)” is a reserved word in predicates."
            report(.propertyKeyword, entity.name, name, message, hint: "Write it as #\(name) in predicates.")
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
