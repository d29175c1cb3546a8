// SPDX-License-Identifier: Apache-2.0

// The rules for batches of an identity.

import AccessRules
import Identities
import JSON
import ObjectGraph
import ObjectModel
import Predicates

/// What a batch may change.
///
/// 1. A batch changes the objects that it selects, that can be read, and that the rules permit to change: its condition has
///    the rules. With `strict`, it is refused if readable objects would be left out.
/// 2. An update after which an object wouldn't satisfy `check` is refused. Since nothing of that is evaluated object by
///    object, `check` must be a condition on values that the batch knows; others are refused with the remedy.
/// 3. A deletion that goes on to others is permitted only if these can be changed without conditions, and so is an update of
///    a relationship that changes the rows of others.
struct BatchAccess {
    let access: Access
    let api: API
    let plan: BatchPlan

    private var entity: EntityDescription { plan.resource.entity }
    private var model: ManagedObjectModel { access.model }

    /// Nil if everything is permitted.
    init?(_ plan: BatchPlan, in api: API) {
        guard let access = api.access else { return nil }
        self.access = access
        self.api = api
        self.plan = plan
    }

    /// The condition on what can be read of the selected objects.
    private func readable(_ selection: ObjectPredicate?) throws -> [ObjectPredicate] {
        [access.visibility(of: entity), try selection.map(Narrowing(access, of: entity).narrowed)].compactMap(\.self)
    }

    // MARK: Updates

    /// The values of an update, as the identity sees what they are computed from.
    func narrowed(_ values: [String: ObjectExpression]) throws -> [String: ObjectExpression] {
        try values.mapValues(Narrowing(access, of: entity).narrowed)
    }

    /// The condition on the objects that an update changes.
    func condition(
        updating values: [String: ObjectExpression],
        matching selection: ObjectPredicate?
    ) throws -> ObjectPredicate {
        try explaining(.update) { try permittedCondition(updating: values, matching: selection) }
    }

    private func permittedCondition(
        updating values: [String: ObjectExpression],
        matching selection: ObjectPredicate?
    ) throws -> ObjectPredicate {
        try checkProperties(values.keys)
        try checkInverses(values)
        try checkReferences(values)
        let change = BatchChange(values, of: entity, in: api)
        let existing = access.combined(.update, of: entity, \.existing)
        let permitted = try access.combined(.update, of: entity) { rule throws(Problem) in
            ObjectPredicate.all(of: [rule.existing, try change.after(rule.resulting)].filter { $0 != .constant(true) })
        }
        let selected = try readable(selection)
        if existing != permitted, try count(selected + [existing, .not(permitted)]) > 0 {
            throw Problem(
                .forbidden,
                "The access rules don't permit some of the objects to be as the batch would make them.",
                hint: "Select only objects that may be changed like this."
            )
        }
        try checkStrictness(selected, permitted)
        return .all(of: selected + [permitted])
    }

    /// Refuses references to objects that can't be read, as if these were missing.
    private func checkReferences(_ values: [String: ObjectExpression]) throws {
        for (name, value) in values {
            guard case .constant(.reference(let reference)) = value,
                let objectID = api.names.objectID(forURI: reference.uri)
            else { continue }
            guard try api.read({ try $0.snapshots(of: [objectID])[0] }) == nil else { continue }
            var error = GraphError.objectMissing(objectID)
            error.property = name
            throw error
        }
    }

    private func checkProperties(_ names: some Sequence<String>) throws {
        for name in names.sorted() {
            for kind in model.kinds(of: entity) where !access.canWrite(name, of: kind) {
                let shown = plan.resource.name(ofProperty: name) ?? name
                var problem = Problem(.forbidden, "“\(shown)” can't be written.")
                problem.errors = [
                    Problem.Detail(
                        property: shown,
                        code: "forbidden",
                        message: problem.detail,
                        extras: ["pointer": .string("/set/\(shown)")]
                    )
                ]
                if access.isExplained { problem.explain(by: [access.explanation(ofWriting: name, of: kind)]) }
                throw problem
            }
        }
    }

    /// Refuses relationships whose change would change other objects that the rules may not permit to change.
    private func checkInverses(_ values: [String: ObjectExpression]) throws(Problem) {
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            let relationships = model.kinds(of: entity).compactMap { $0.relationship(named: name) }
            let links = value != .constant(.null)
            guard !relationships.allSatisfy({ access.permitsInBatch($0, links: links) }) else { continue }
            let shown = plan.resource.name(ofProperty: name) ?? name
            throw Problem.alongInBatch(
                shown,
                hint: "Change the objects in a transaction: its rules are checked for each object.",
                extras: ["pointer": .string("/set/\(shown)")]
            ).explained(by: access, .update, on: relationships.flatMap { model.kinds(of: model.destination(of: $0)) })
        }
    }

    // MARK: Deletions

    /// The condition on the objects that a deletion begins with.
    func condition(deleting selection: ObjectPredicate?) throws -> ObjectPredicate {
        try explaining(.delete) {
            try checkConsequences()
            let selected = try readable(selection)
            let permitted = access.combined(.delete, of: entity, \.existing)
            try checkStrictness(selected, permitted)
            return .all(of: selected + [permitted])
        }
    }

    /// Refuses a deletion whose consequences the rules don't permit for all objects.
    private func checkConsequences() throws {
        var checked: Set<Int> = []
        var next = Array(model.kinds(of: entity))
        while let kind = next.popLast() {
            guard checked.insert(kind.index).inserted else { continue }
            for relationship in kind.relationships {
                let destination = model.destination(of: relationship)
                switch relationship.deleteRule {
                case .cascade:
                    for other in model.kinds(of: destination) where !other.isAbstract {
                        guard access.permission(.delete, other) == .always else {
                            throw refusal(relationship, of: kind).explained(by: access, .delete, on: [other])
                        }
                    }
                    next += model.kinds(of: destination)
                case .nullify:
                    // The rows of the others change only if they have the reference.
                    guard let inverse = relationship.inverse, !inverse.isToMany else { continue }
                    for other in model.kinds(of: destination) where !other.isAbstract {
                        guard access.permission(.update, other) == .always, access.canWrite(inverse.name, of: other)
                        else {
                            throw refusal(relationship, of: kind).explained(by: access, .update, on: [other])
                        }
                    }
                case .deny, .noAction: break
                }
            }
        }
    }

    private func refusal(_ relationship: RelationshipDescription, of kind: EntityDescription) -> Problem {
        let name = api.catalogue[kind].name(ofProperty: relationship.name)
        return Problem(
            .forbidden,
            name.map {
                "The deletion would change or delete the objects of “\($0)”, which the access rules may not permit."
            }
                ?? "The deletion would change or delete other objects, which the access rules may not permit.",
            hint: "Delete the objects in a transaction: its rules are checked for each object."
        )
    }

    /// Adds the rules for a verb to a refusal, if refusals are explained.
    private func explaining<Result>(_ verb: AccessVerb, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let problem as Problem {
            throw problem.explained(by: access, verb, on: model.kinds(of: entity))
        }
    }

    // MARK: Counting

    private func checkStrictness(_ selected: [ObjectPredicate], _ permitted: ObjectPredicate) throws {
        guard plan.isStrict, permitted != .constant(true), try count(selected + [.not(permitted)]) > 0 else { return }
        throw Problem(
            .forbidden,
            "Some of the selected objects may not be changed, and the batch is strict.",
            hint: "Without “strict”, it changes the others."
        )
    }

    func count(_ conditions: [ObjectPredicate]) throws -> Int {
        try api.coordinator.read { [entity] reader in
            var request = FetchRequest<ManagedObject>(entity.name)
            request.predicate = .all(of: conditions)
            return try reader.count(request)
        }
    }
}

extension Access {
    /// The condition under which a verb is permitted on objects of an entity and its subentities.
    ///
    /// - Parameter part: The condition of an alternative.
    func combined<Failure: Error>(
        _ verb: AccessVerb,
        of entity: EntityDescription,
        _ part: (AccessRule) throws(Failure) -> ObjectPredicate
    ) throws(Failure) -> ObjectPredicate {
        var parts: [(condition: ObjectPredicate, names: [Value])] = []
        for kind in model.kinds(of: entity) where !kind.isAbstract {
            let condition: ObjectPredicate
            switch permission(verb, kind) {
            case .always: condition = .constant(true)
            case .when(let rules): condition = .any(of: try rules.map(part)).simplified
            }
            if let place = parts.firstIndex(where: { $0.condition == condition }) {
                parts[place].names.append(.string(kind.name))
            } else {
                parts.append((condition, [.string(kind.name)]))
            }
        }
        if parts.count == 1 { return parts[0].condition }
        let conditions = parts.filter { $0.condition != .constant(false) }.map { part in
            let isKind = ObjectPredicate.comparing(.keyPath("entity"), .in, .constant(.array(part.names)))
            return ObjectPredicate.all(of: [isKind, part.condition].filter { $0 != .constant(true) })
        }
        return .any(of: conditions)
    }
}
