// SPDX-License-Identifier: Apache-2.0

// Indexes and uniqueness constraints: only over the entity's own rows.

import Predicates

extension ModelCheck {
    mutating func checkIndexes(of entity: Entity) {
        var names: Set<String> = []
        for index in entity.fetchIndexes {
            let part = "The index “\(index.name)” of \(entity.name)"
            if !names.insert(index.name).inserted {
                report(
                    .indexDuplicate,
                    entity.name,
                    "\(entity.name) has several indexes “\(index.name)”."
                )
            }
            if index.elements.isEmpty {
                report(.indexEmpty, entity.name, "\(part) has no elements.")
            }
            for element in index.elements {
                switch element.subject {
                case .property(let path):
                    checkStored(path, of: entity, .index, part)
                    checkRTree(element, path, of: entity, part)
                case .expression(let format, _): checkExpression(format, on: entity, entity.name, nil, part)
                }
            }
            if let predicate = index.partialPredicate {
                checkPredicate(predicate, on: entity, entity.name, nil, part, variables: [:])
            }
        }
        for names in entity.compoundIndexes {
            // Compound indexes may name the object's key and its entity, as `self` and `entity`.
            for name in names
            where !["self", "entity"].contains(name) || hierarchy.property(named: name, of: entity) != nil {
                checkStored(name, of: entity, .index, "A compound index of \(entity.name)")
            }
        }
    }

    mutating func checkConstraints(of entity: Entity) {
        var own: Set<Set<String>> = []
        for names in entity.uniquenessConstraints {
            let part = "The uniqueness constraint (\(names.joined(separator: ", "))) of \(entity.name)"
            if names.isEmpty {
                report(
                    .constraintEmpty,
                    entity.name,
                    "A uniqueness constraint of \(entity.name) has no properties."
                )
            } else if hierarchy.inheritsConstraint(over: Set(names), entity) {
                report(.constraintInherited, entity.name, "\(part) is already inherited.")
            } else if !own.insert(Set(names)).inserted {
                report(.constraintDuplicate, entity.name, "\(part) occurs more than once.")
            }
            for name in names { checkStored(name, of: entity, .constraint, part) }
        }
    }

    /// Checks that a name, or a path into a composite, refers to a value in the entity's own rows.
    private mutating func checkStored(_ path: String, of entity: Entity, _ subject: CheckedPart, _ part: String) {
        let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let property = hierarchy.property(named: keys[0], of: entity) else {
            return report(
                subject.unknown,
                entity.name,
                keys[0],
                "\(part) names the unknown property “\(keys[0])”.",
                hint: guess(keys[0]) { model in model.lineage(of: entity).flatMap { $0.properties.map(\.name) } }
            )
        }
        switch property {
        case .fetched:
            report(subject.property, entity.name, path, "\(part) contains a fetched property.")
        case .relationship(let relationship) where relationship.isTransient || relationship.isToMany || keys.count > 1:
            let what = relationship.isTransient ? "transient" : relationship.isToMany ? "to-many" : "not its own"
            report(subject.property, entity.name, path, "\(part) contains “\(path)”, which is \(what).")
        case .attribute(let attribute) where attribute.isTransient:
            report(subject.property, entity.name, path, "\(part) contains “\(path)”, which is transient.")
        case .attribute(let attribute) where keys.count > 1:
            if attribute.type.compositeName != nil {
                checkExpression(path, on: entity, entity.name, path, part)
            } else {
                let message = "\(part) contains “\(path)”, but “\(keys[0])” isn't a composite."
                report(subject.unknown, entity.name, path, message)
            }
        default: break
        }
    }

    private mutating func checkRTree(_ element: FetchIndex.Element, _ name: String, of entity: Entity, _ part: String) {
        guard element.kind == .rTree, case .attribute(let attribute) = hierarchy.property(named: name, of: entity),
            !attribute.type.isNumeric, attribute.type != .date
        else { return }
        let message = "\(part) is an R-tree, which is for numbers, but “\(name)” is of type \(attribute.type.name)."
        report(.indexRTree, entity.name, name, message)
    }
}

/// The thing being checked, with the codes of its findings.
private enum CheckedPart {
    case index
    case constraint

    var unknown: ModelIssue.Code { self == .index ? .indexUnknown : .constraintUnknown }
    var property: ModelIssue.Code { self == .index ? .indexProperty : .constraintProperty }
}
