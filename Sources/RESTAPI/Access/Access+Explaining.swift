// SPDX-License-Identifier: Apache-2.0

// Which rules decided that a request is refused, for administrators that act as somebody else.

import AccessRules
import HTTPMessage
import Identities
import JSON
import ObjectGraph
import ObjectModel
import Predicates

extension Access {
    /// Whether refusals say which rules decided.
    var isExplained: Bool { identity.isExplained }

    /// The rules for a verb on objects of an entity, none of which permits it.
    ///
    /// - Parameters:
    ///   - object: The object's name, or nil for several.
    ///   - failures: Which condition of each rule doesn't hold: `where` or `check`. Empty if it isn't known.
    func explanation(
        of verb: AccessVerb,
        on entity: EntityDescription,
        object: String? = nil,
        failures: [String] = []
    ) -> JSONValue {
        let decision = policy.decision(on: verb, lineage: entity.lineage(in: model), roles: identity.roles)
        var json = JSONObject()
        json["object"] = object.map(JSONValue.string)
        json["entity"] = .string(entity.name)
        json["verb"] = .string(verb.rawValue)
        json["sentences"] = .array(decision.sentences(on: entity.name).map(JSONValue.string))
        let rules = decision.alternatives.enumerated().map { index, alternative in
            var rule = alternative.json
            if failures.indices.contains(index) { rule["failed"] = .string(failures[index]) }
            return JSONValue.object(rule)
        }
        json["rules"] = .array(rules)
        return .object(json)
    }

    /// The rule by which a property can't be written.
    func explanation(ofWriting property: String, of entity: EntityDescription, object: String? = nil) -> JSONValue {
        let sentence = policy.sentence(onWriting: property, lineage: entity.lineage(in: model), roles: roles)
        var json = JSONObject()
        json["object"] = object.map(JSONValue.string)
        json["entity"] = .string(entity.name)
        json["property"] = .string(property)
        json["sentences"] = [.string(sentence)]
        return .object(json)
    }

    /// The rules by which something isn't permitted.
    ///
    /// - Parameter name: The object's name.
    func explanation(of denial: AccessDenial, named name: String?) throws -> JSONValue {
        let object = denial.object
        switch denial.act {
        case .property(let property): return explanation(ofWriting: property, of: object.entity, object: name)
        case .verb(let verb):
            let failures = try failures(of: verb, on: object)
            return explanation(of: verb, on: object.entity, object: name, failures: failures)
        }
    }

    /// Which condition of each alternative doesn't hold.
    private func failures(of verb: AccessVerb, on object: ManagedObject) throws -> [String] {
        guard case .when(let rules) = permission(verb, object.entity), let reader = object.context?.committedReader
        else { return [] }
        guard verb != .create else { return rules.map { _ in "check" } }
        let committed = object.committedSnapshot.map { EvaluatedRow(snapshot: $0, reader: reader) }
        let evaluator = Evaluator.limited()
        do {
            return try rules.map { rule in
                guard let committed else { return "where" }
                return try evaluator.matches(rule.existing, committed) ? "check" : "where"
            }
        } catch {
            throw GraphError.evaluation(error)
        }
    }
}

extension Problem {
    /// Adds the rules that decided, unless there are some already.
    mutating func explain(by explanations: [JSONValue]) {
        guard extras["rules"] == nil, !explanations.isEmpty else { return }
        extras["rules"] = .array(OrderedMembers(explanations.prefix(Self.errorLimit)).members)
    }

    /// The problem with the rules for a verb on objects of some entities, if refusals are explained.
    func explained(by access: Access, _ verb: AccessVerb, on entities: some Sequence<EntityDescription>) -> Problem {
        guard access.isExplained, code == .forbidden else { return self }
        var problem = self
        problem.explain(by: entities.filter { !$0.isAbstract }.map { access.explanation(of: verb, on: $0) })
        return problem
    }
}
