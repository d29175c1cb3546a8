// SPDX-License-Identifier: Apache-2.0

// Rewrites predicates and expressions so that they see only what an identity may read.

import ObjectGraph
import Predicates

/// Rewrites what an identity asks for, as if objects that it can't read didn't exist.
///
/// 1. A key path over a to-one relationship is nil where it leads to an object that can't be read.
/// 2. A to-many relationship has the members that can be read.
/// 3. Without rules for the entities on a path, the path is unchanged, so that it costs nothing.
///
///     author.name                   TERNARY(author.isPublic == YES, author.name, nil)
///     comments.@count               SUBQUERY(comments, $1, $1.isSpam == NO).@count
///     ANY comments.text == 'x'      SUBQUERY(comments, $1, $1.isSpam == NO AND $1.text == 'x').@count > 0
struct Narrowing {
    let access: Access
    private var types: OperandTypeResolver
    /// The number of variables that were made.
    private var depth = 0

    init(_ access: Access, of entity: EntityDescription) {
        self.access = access
        types = OperandTypeResolver(model: access.model, entity: entity)
    }

    func narrowed(_ predicate: ObjectPredicate) -> ObjectPredicate {
        guard case .comparison(let comparison) = predicate else {
            return predicate.mappingParts({ narrowed($0) }, { narrowed($0) })
        }
        return narrowed(comparison)
    }

    func narrowed(_ expression: ObjectExpression) -> ObjectExpression {
        switch expression {
        case .keyPath(let root, let keys):
            return path(of: root, keys).whole
        case .subquery(let collection, let variable, let condition):
            var inner = self
            inner.types.variables[variable] = OperandType(kind: types.end(of: collection).kind)
            return .subquery(narrowed(collection), variable: variable, inner.narrowed(condition))
        default: return expression.mappingParts({ narrowed($0) }, { narrowed($0) })
        }
    }

    // MARK: Comparisons

    private func narrowed(_ comparison: Comparison) -> ObjectPredicate {
        var result = comparison
        result.right = narrowed(comparison.right)
        guard case .keyPath(let root, let keys) = comparison.left, case let path = path(of: root, keys),
            path.isRestricted
        else {
            result.left = narrowed(comparison.left)
            return .comparison(result)
        }
        guard comparison.modifier == .direct else { return narrowed(result, over: path) }
        guard path.rest.isEmpty, !path.isMany, case .constant = result.right else {
            result.left = path.whole
            return .comparison(result)
        }
        // Instead of a TERNARY, which no index serves.
        result.left = path.end
        let isVisible = ObjectPredicate.all(of: path.guards)
        var ofNil = result
        ofNil.left = .constant(.null)
        let holdsForNil = (try? ObjectPredicate.comparison(ofNil).evaluate(with: NoObject())) ?? false
        return holdsForNil
            ? .or([.not(isVisible), .comparison(result)]) : .all(of: path.guards + [.comparison(result)])
    }

    /// A comparison of members, with ANY or ALL.
    private func narrowed(_ comparison: Comparison, over path: Path) -> ObjectPredicate {
        let isAny = comparison.modifier == .any
        var ofMember = comparison
        guard path.isMany else {
            // One object in a path without a to-many relationship.
            ofMember.left = path.end
            let holds = ObjectPredicate.all(of: path.guards + [.comparison(ofMember)])
            return isAny ? holds : .or([.not(.all(of: path.guards)), .comparison(ofMember)])
        }
        let variable = "\(Self.prefix)\(depth)"
        var inner = self
        inner.depth += 1
        inner.types.variables[variable] = OperandType(kind: types.end(of: path.end).kind)
        let member = ObjectExpression.variable(variable)
        ofMember.left = path.rest.isEmpty ? member : .keyPath(of: member, path.rest)
        let goesOn = inner.types.end(of: ofMember.left).isMany
        if !goesOn { ofMember.modifier = .direct }
        var condition = inner.narrowed(ofMember)
        if !isAny { condition = .not(condition) }
        let found = ObjectExpression.subquery(
            path.end,
            variable: variable,
            .all(of: inner.visibility(ofMembersAt: path.end, as: member) + [condition])
        )
        let count = ObjectExpression.keyPath(of: found, [.collection(.count)])
        let holds = ObjectPredicate.comparing(count, isAny ? .greater : .equal, .constant(.integer(0)))
        return isAny
            ? .all(of: path.guards + [holds]) : path.guards.isEmpty ? holds : .or([.not(.all(of: path.guards)), holds])
    }

    // MARK: Paths

    /// A key path up to its first to-many relationship, and the rest of it.
    private struct Path {
        /// The conditions under which it leads to something readable.
        var guards: [ObjectPredicate] = []
        /// The path up to the first to-many relationship with it, or the whole path.
        var end: ObjectExpression
        var isMany = false
        var rest: [Key] = []
        /// Whether rules restrict what it leads to.
        var isRestricted = false
        /// The whole path with what is readable.
        var whole: ObjectExpression
    }

    /// Variables of requests can't begin with it.
    private static let prefix = "·"

    private func path(of asked: ObjectExpression, _ keys: [Key]) -> Path {
        let root = narrowed(asked)
        var path = Path(end: root, isRestricted: root != asked, whole: root)
        var type = types.end(of: asked)
        var taken: [Key] = []
        for (place, key) in zip(keys.indices, keys) {
            guard case .name(let name) = key else {
                path.rest = Array(keys[place...])
                break
            }
            let owner = type
            type = types.step(name, from: type)
            taken.append(key)
            guard case .object(let entity) = owner.kind, case .object(let destination) = type.kind,
                entity.property(named: name) != nil
            else { continue }
            let reached = ObjectExpression.keyPath(of: root, taken)
            if type.isMany {
                path.isMany = true
                path.rest = Array(keys[(place + 1)...])
                break
            }
            if let condition = access.visibility(of: destination) {
                path.isRestricted = true
                path.guards.append(condition.based(on: reached))
            }
        }
        path.end = taken.isEmpty ? root : .keyPath(of: root, taken)
        guard path.isMany else {
            path.whole = whole(path, .keyPath(of: root, keys))
            return path
        }
        // What follows the members is narrowed for one member.
        let readable = members(at: path.end, followedBy: path.rest)
        if readable != path.end { path.isRestricted = true }
        path.whole = whole(path, path.rest.isEmpty ? readable : .keyPath(of: readable, path.rest))
        return path
    }

    private func whole(_ path: Path, _ expression: ObjectExpression) -> ObjectExpression {
        guard !path.guards.isEmpty else { return expression }
        // A list of no members, rather than nil, so that it can be counted.
        let other: ObjectExpression = path.isMany && path.rest.isEmpty ? .constant(.array([])) : .constant(.null)
        return .ternary(.all(of: path.guards), expression, other)
    }

    /// The members of a to-many relationship that are readable, and whose related objects on a path are.
    private func members(at collection: ObjectExpression, followedBy rest: [Key]) -> ObjectExpression {
        let variable = "\(Self.prefix)\(depth)"
        var inner = self
        inner.depth += 1
        inner.types.variables[variable] = OperandType(kind: types.end(of: collection).kind)
        let member = ObjectExpression.variable(variable)
        var conditions = inner.visibility(ofMembersAt: collection, as: member)
        let steps = rest.filter { if case .name = $0 { true } else { false } }
        if !steps.isEmpty {
            let path = inner.path(of: member, steps)
            conditions += path.guards
        }
        return conditions.isEmpty ? collection : .subquery(collection, variable: variable, .all(of: conditions))
    }

    private func visibility(ofMembersAt collection: ObjectExpression, as member: ObjectExpression) -> [ObjectPredicate]
    {
        guard case .object(let entity) = types.end(of: collection).kind, let condition = access.visibility(of: entity)
        else { return [] }
        return [condition.based(on: member)]
    }
}

extension ObjectPredicate {
    /// A condition on an object as one on the object that an expression leads to.
    func based(on root: ObjectExpression) -> ObjectPredicate {
        mappingParts({ $0.based(on: root) }, { $0.based(on: root) })
    }
}

extension ObjectExpression {
    fileprivate func based(on root: ObjectExpression) -> ObjectExpression {
        switch self {
        case .evaluatedObject: return root
        case .keyPath(of: .evaluatedObject, let keys):
            if case .keyPath(let start, let first) = root { return .keyPath(of: start, first + keys) }
            return .keyPath(of: root, keys)
        default: return mappingParts({ $0.based(on: root) }, { $0.based(on: root) })
        }
    }
}
