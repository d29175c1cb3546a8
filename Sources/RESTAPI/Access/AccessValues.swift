// SPDX-License-Identifier: Apache-2.0

// Replaces the variables of rules by the values of an identity.

import AccessRules
import FoundationEssentials
import JSON
import ObjectGraph
import Predicates

/// The values of an identity for conditions and creations.
///
/// A comparison with a value that the identity doesn't have, such as the account of an API key, permits nothing, whatever
/// the operator, and also negated. Otherwise `author == $USER` would permit objects without an author, and
/// `NOT author == $USER` all others. A comparison of such a value with `nil` tells whether it is missing.
struct AccessValues {
    let policy: AccessPolicy
    let identity: Identity
    let user: ManagedObjectID?
    let roles: Set<String>
    let names: ObjectIDResolver
    let catalogue: Catalogue
    /// The values of `$USER.path`, by path.
    var userValues: [String: Value] = [:]
    /// The entities that these depend on.
    var dependencies: [EntityDescription] = []

    /// A rule with the identity's values in its conditions.
    func filled(_ rule: AccessRule, on entity: EntityDescription) -> AccessRule {
        AccessRule(existing: filled(rule.existing, on: entity), resulting: filled(rule.resulting, on: entity))
    }

    func filled(_ predicate: ObjectPredicate, on entity: EntityDescription) -> ObjectPredicate {
        filled(predicate, OperandTypeResolver(model: catalogue.model, entity: entity), isNegated: false)
    }

    /// The value that a creation sets.
    func value(_ forced: ForcedValue) -> Value {
        switch forced {
        case .value(let value): value
        case .user: user?.value ?? .null
        case .claim(let path): claim(path).map(Value.init) ?? .null
        case .now: .date(.now)
        }
    }

    /// - Parameter isNegated: Whether the predicate is in an odd number of negations; nil in an expression, where
    ///   comparisons with missing values are left to the comparison of the expression.
    private func filled(
        _ predicate: ObjectPredicate,
        _ types: OperandTypeResolver,
        isNegated: Bool?
    ) -> ObjectPredicate {
        if case .not(let inner) = predicate {
            return ObjectPredicate.not(filled(inner, types, isNegated: isNegated.map { !$0 })).simplified
        }
        guard case .comparison(var comparison) = predicate else {
            return predicate.mappingParts(
                { filled($0, nil, types) },
                { filled($0, types, isNegated: isNegated) }
            ).simplified
        }
        let left = types.end(of: comparison.left)
        let right = types.end(of: comparison.right)
        let isOfNil = comparison.left == .constant(.null) || comparison.right == .constant(.null)
        comparison.left = filled(comparison.left, right, types)
        comparison.right = filled(comparison.right, left, types)
        guard comparison.left.isMissing || comparison.right.isMissing else {
            return comparison.withAllKinds(of: catalogue.model)
        }
        if isOfNil, comparison.left == .constant(.missing) || comparison.right == .constant(.missing) {
            return .constant(comparison.operator == .equal)
        }
        return isNegated.map(ObjectPredicate.constant) ?? .comparison(comparison)
    }

    /// - Parameter other: The type of the other operand, or nil outside of comparisons.
    private func filled(
        _ expression: ObjectExpression,
        _ other: OperandType?,
        _ types: OperandTypeResolver
    ) -> ObjectExpression {
        switch expression {
        case .variable(AccessVariable.user): return .constant(user?.value ?? .missing)
        case .variable(AccessVariable.roles): return .constant(.array(roles.sorted().map(Value.string)))
        case .variable(AccessVariable.now): return .function(.now, [])
        case .keyPath(of: .variable(AccessVariable.user), let keys):
            return .constant(user == nil ? .missing : userValues[keys.map(\.text).joined(separator: ".")] ?? .missing)
        case .keyPath(of: .variable(AccessVariable.claims), let keys):
            return .constant(claim(keys.map(\.text)).flatMap { value($0, as: other) } ?? .missing)
        case .subquery(let collection, let variable, let condition):
            // A variable of a request, which a condition may be based on, has another name.
            let own = Self.prefix + variable
            var inner = types
            inner.variables[own] = OperandType(kind: types.end(of: collection).kind)
            let condition = condition.renaming(variable, to: own)
            return .subquery(filled(collection, nil, types), variable: own, filled(condition, inner, isNegated: nil))
        default:
            return expression.mappingParts({ filled($0, nil, types) }, { filled($0, types, isNegated: nil) })
        }
    }

    /// Variables of requests can't begin with it.
    private static let prefix = "?of "

    private func claim(_ path: [String]) -> JSONValue? {
        var value: JSONValue? = .object(identity.claims)
        for name in path { value = value?[name] }
        return value?.isNull == true ? nil : value
    }

    /// A claim as a value of the other operand's type; nil if it can't be one.
    private func value(_ claim: JSONValue, as other: OperandType?) -> Value? {
        var end = other ?? .unknown
        if claim.array != nil { end.isMany = true }
        return try? ArgumentReader(names: names, catalogue: catalogue).value(of: .json(claim), as: end)
    }

    /// The paths of `$USER.path` in the rules for some roles.
    static func userPaths(in policy: AccessPolicy, roles: Set<String>) -> [[Key]] {
        var survey = UserPathSurvey()
        for rules in policy.rules.values {
            for rule in rules.verbs.values.joined() where roles.contains(rule.key) {
                survey.visit(rule.value.existing)
                survey.visit(rule.value.resulting)
            }
        }
        return survey.paths
    }
}

private struct UserPathSurvey {
    var paths: [[Key]] = []

    mutating func visit(_ predicate: ObjectPredicate) { predicate.forEachPart({ visit($0) }, { visit($0) }) }

    mutating func visit(_ expression: ObjectExpression) {
        if case .keyPath(of: .variable(AccessVariable.user), let keys) = expression, !paths.contains(keys) {
            paths.append(keys)
        }
        expression.forEachPart({ visit($0) }, { visit($0) })
    }
}

extension Value {
    /// A value that an identity doesn't have. No value of a store or a claim is a list of this reference.
    fileprivate static let missing = Value.array([.reference(ObjectReference(uri: "missing:"))])

    /// A claim, without knowing the type that is expected.
    fileprivate init(_ claim: JSONValue) {
        switch claim.kind {
        case .null, .object: self = .null
        case .bool(let flag): self = .bool(flag)
        case .string(let text): self = .string(text)
        case .number(let number): self = number.int64.map(Value.integer) ?? claim.double.map(Value.double) ?? .null
        case .array(let members): self = .array(members.map(Value.init))
        }
    }
}

extension ObjectExpression {
    /// Whether it is computed from a value that the identity doesn't have.
    fileprivate var isMissing: Bool {
        if self == .constant(.missing) { return true }
        var isMissing = false
        forEachPart({ isMissing = isMissing || $0.isMissing }, { isMissing = isMissing || $0.isMissing })
        return isMissing
    }
}

extension ObjectPredicate {
    fileprivate var isMissing: Bool {
        var isMissing = false
        forEachPart({ isMissing = isMissing || $0.isMissing }, { isMissing = isMissing || $0.isMissing })
        return isMissing
    }
}

extension ObjectPredicate {
    /// The same without constants in conjunctions, disjunctions and negations.
    var simplified: ObjectPredicate {
        switch self {
        case .not(.constant(let holds)): return .constant(!holds)
        case .and(let parts):
            if parts.contains(.constant(false)) { return .constant(false) }
            return .all(of: parts.filter { $0 != .constant(true) })
        case .or(let parts):
            if parts.contains(.constant(true)) { return .constant(true) }
            return .any(of: parts.filter { $0 != .constant(false) })
        default: return self
        }
    }
}

extension ObjectPredicate {
    /// The predicate with another name for a free variable.
    fileprivate func renaming(_ variable: String, to name: String) -> ObjectPredicate {
        mappingParts({ $0.renaming(variable, to: name) }, { $0.renaming(variable, to: name) })
    }
}

extension ObjectExpression {
    fileprivate func renaming(_ variable: String, to name: String) -> ObjectExpression {
        switch self {
        case .variable(variable): return .variable(name)
        case .subquery(let collection, variable, let condition):
            return .subquery(collection.renaming(variable, to: name), variable: variable, condition)
        default: return mappingParts({ $0.renaming(variable, to: name) }, { $0.renaming(variable, to: name) })
        }
    }
}
