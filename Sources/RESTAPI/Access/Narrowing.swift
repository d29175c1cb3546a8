// SPDX-License-Identifier: Apache-2.0

// Rewrites predicates and expressions so that they see only what an identity may read.

import ObjectGraph
import Predicates

/// Rewrites what an identity asks for, as if objects that it can't read didn't exist.
///
/// 1. A key path over a to-one relationship is nil where it leads to an object that can't be read.
/// 2. A to-many relationship has the members that can be read.
/// 3. A key path begins at objects of one entity: otherwise it could have names that are known of another one.
/// 4. Without rules for the entities on a path, the path is unchanged, so that it costs nothing.
///
///     author.name                   TERNARY(author.isPublic == YES, author.name, nil)
///     comments.@count               SUBQUERY(comments, $?0, $?0.isSpam == NO).@count
///     ANY comments.text == 'x'      SUBQUERY(comments, $?0, $?0.isSpam == NO AND $?0.text == 'x').@count > 0
struct Narrowing {
    let access: Access
    /// Whether each path remains one expression, as conditions on groups need it.
    private let keepsExpressions: Bool
    private var types: OperandTypeResolver
    /// The number of variables that were made.
    private var depth = 0

    init(_ access: Access, of entity: EntityDescription, keepingExpressions: Bool = false) {
        self.access = access
        keepsExpressions = keepingExpressions
        types = OperandTypeResolver(model: access.model, entity: entity)
    }

    func narrowed(_ predicate: ObjectPredicate) throws(GraphError) -> ObjectPredicate {
        guard case .comparison(let comparison) = predicate else {
            return try predicate.mappingParts(
                { (part) throws(GraphError) in try narrowed(part) },
                { (part) throws(GraphError) in try narrowed(part) }
            )
        }
        return try narrowed(comparison)
    }

    func narrowed(_ expression: ObjectExpression) throws(GraphError) -> ObjectExpression {
        switch expression {
        // The value of each object for an aggregate that counts equal values once.
        case .keyPath(of: .evaluatedObject, let keys) where keys.first == .collection(.distinctUnionOfObjects):
            guard keys.count > 1 else { return expression }
            let value = ObjectExpression.keyPath(of: .evaluatedObject, Array(keys.dropFirst()))
            let shown = try narrowed(value)
            return shown == value ? expression : .keyPath(of: shown, [.collection(.distinctUnionOfObjects)])
        case .keyPath(let root, let keys): return try path(of: root, keys).whole
        case .subquery(let collection, let variable, let condition):
            guard types.objects(in: collection) != .mixed else { throw .mixedObjects("\(collection)") }
            var inner = self
            inner.types.variables[variable] = OperandType(kind: types.end(of: collection).kind)
            return .subquery(try narrowed(collection), variable: variable, try inner.narrowed(condition))
        default:
            return try expression.mappingParts(
                { (part) throws(GraphError) in try narrowed(part) },
                { (part) throws(GraphError) in try narrowed(part) }
            )
        }
    }

    // MARK: Comparisons

    /// - Parameter isOfMember: Whether ANY or ALL are of a longer path, of which this is the rest for one member.
    private func narrowed(_ comparison: Comparison, isOfMember: Bool = false) throws(GraphError) -> ObjectPredicate {
        var result = comparison
        result.right = try narrowed(comparison.right)
        guard case .keyPath(let root, let keys) = comparison.left, case let path = try path(of: root, keys),
            path.isRestricted || isOfMember
        else {
            result.left = try narrowed(comparison.left)
            return .comparison(result)
        }
        if comparison.modifier != .direct, !path.rest.contains(where: \.isOperator) {
            guard path.isMany else { return narrowed(result, ofOneAt: path) }
            return try narrowed(comparison, over: path, isOfMember: isOfMember, with: result.right)
        }
        guard !keepsExpressions, path.rest.isEmpty, !path.isMany, case .constant = result.right else {
            result.left = path.whole
            return .comparison(result)
        }
        if path.guards.isEmpty { return .comparison(result) }
        // Instead of a TERNARY, which no index serves.
        result.left = path.end
        return result.ofNil == .constant(true)
            ? .or([.not(.all(of: path.guards)), .comparison(result)])
            : .all(of: path.guards + [.comparison(result)])
    }

    /// A comparison with ANY or ALL of one object.
    private func narrowed(_ comparison: Comparison, ofOneAt path: Path) -> ObjectPredicate {
        var ofObject = comparison
        ofObject.left = path.end
        return comparison.modifier == .any
            ? .all(of: path.guards + [.comparison(ofObject)])
            : .or([.not(.all(of: path.guards)), .comparison(ofObject)])
    }

    /// A comparison of members, with ANY or ALL. In a longer path, a member without the next object counts as nil.
    private func narrowed(
        _ comparison: Comparison,
        over path: Path,
        isOfMember: Bool,
        with right: ObjectExpression
    ) throws(GraphError) -> ObjectPredicate {
        let isAny = comparison.modifier == .any
        let variable = "\(Self.prefix)\(depth)"
        var inner = self
        inner.depth += 1
        inner.types.variables[variable] = OperandType(kind: types.end(of: path.end).kind)
        let member = ObjectExpression.variable(variable)
        var ofMember = comparison
        ofMember.left = path.rest.isEmpty ? member : .keyPath(of: member, path.rest)
        let goesOn = inner.types.end(of: ofMember.left).isMany
        if !goesOn { ofMember.modifier = .direct }
        var condition = try inner.narrowed(ofMember, isOfMember: goesOn)
        if !isAny { condition = .not(condition) }
        let found = ObjectExpression.subquery(
            path.end,
            variable: variable,
            .all(of: inner.visibility(ofMembersAt: path.end, as: member) + [condition])
        )
        let count = ObjectExpression.keyPath(of: found, [.collection(.count)])
        let holds = ObjectPredicate.comparing(count, isAny ? .greater : .equal, .constant(.integer(0)))
        guard isOfMember, let owner = path.owner else {
            if path.guards.isEmpty { return holds }
            return isAny ? .all(of: path.guards + [holds]) : .or([.not(.all(of: path.guards)), holds])
        }
        let isThere = ObjectPredicate.all(of: [.comparing(owner, .notEqual, .constant(.null))] + path.guards)
        var ofNil = comparison
        ofNil.right = right
        return .or([.all(of: [isThere, holds]), .all(of: [.not(isThere), ofNil.ofNil])])
    }

    // MARK: Paths

    /// A key path up to its first to-many relationship, and the rest of it.
    private struct Path {
        /// The conditions under which it leads to something readable.
        var guards: [ObjectPredicate] = []
        /// The path up to the first to-many relationship with it, or else all its names.
        var end: ObjectExpression
        var isMany = false
        var rest: [Key] = []
        /// The object with the first to-many relationship, if the path leads to it over to-one relationships.
        var owner: ObjectExpression?
        /// Whether rules restrict what it leads to.
        var isRestricted = false
        /// The whole path with what is readable.
        var whole: ObjectExpression
    }

    /// Variables of requests can't begin with it.
    private static let prefix = "?"

    private func path(of asked: ObjectExpression, _ keys: [Key]) throws(GraphError) -> Path {
        guard types.objects(in: asked) != .mixed else { throw .mixedObjects("\(asked)") }
        let root = try narrowed(asked)
        let (guards, count, isMany) = opening(keys[...], of: root, types.end(of: asked))
        var path = Path(end: root, whole: root)
        path.guards = guards
        path.isMany = isMany
        path.rest = Array(keys[count...])
        if count > 0 { path.end = .keyPath(of: root, Array(keys[..<count])) }
        if isMany, count > 1 { path.owner = .keyPath(of: root, Array(keys[..<(count - 1)])) }
        if isMany {
            path.whole = try readable(path.end, ofOwnersWith: guards, path.rest[...])
        } else {
            path.whole = .keyPath(of: root, keys)
            if !guards.isEmpty { path.whole = .ternary(.all(of: guards), path.whole, .constant(.null)) }
        }
        path.isRestricted = path.whole != .keyPath(of: asked, keys)
        return path
    }

    /// The number of steps up to the first to-many relationship and with it, or else of all names, and the conditions on
    /// the objects on the way.
    private func opening(
        _ keys: ArraySlice<Key>,
        of root: ObjectExpression,
        _ start: OperandType
    ) -> (guards: [ObjectPredicate], count: Int, isMany: Bool) {
        var guards: [ObjectPredicate] = []
        var type = start
        var taken: [Key] = []
        for key in keys {
            guard case .name(let name) = key else { break }
            let owner = type
            type = types.step(name, from: type)
            taken.append(key)
            guard case .object(let entity) = owner.kind, case .object(let destination) = type.kind,
                entity.property(named: name) != nil
            else { continue }
            if type.isMany { return (guards, taken.count, true) }
            if let condition = access.visibility(of: destination) {
                guards.append(condition.based(on: .keyPath(of: root, taken)))
            }
        }
        return (guards, taken.count, false)
    }

    /// The readable members of a collection, and the rest of a path from them. Without an owner that can be read there are
    /// none; each further to-many relationship has those that are readable, too.
    private func readable(
        _ collection: ObjectExpression,
        ofOwnersWith guards: [ObjectPredicate],
        _ keys: ArraySlice<Key>
    ) throws(GraphError) -> ObjectExpression {
        let (steps, function) = try parts(of: keys, from: types.end(of: collection))
        let variable = "\(Self.prefix)\(depth)"
        var inner = self
        inner.depth += 1
        inner.types.variables[variable] = OperandType(kind: types.end(of: collection).kind)
        let member = ObjectExpression.variable(variable)
        let (toOnes, count, isMany) = inner.opening(steps, of: member, inner.types.end(of: member))
        let conditions = guards + inner.visibility(ofMembersAt: collection, as: member) + toOnes
        let found: ObjectExpression =
            conditions.isEmpty ? collection : .subquery(collection, variable: variable, .all(of: conditions))
        guard isMany else { return found.appending(Array(steps) + function) }
        let next = found.appending(Array(steps.prefix(count)))
        return try readable(next, ofOwnersWith: [], steps.dropFirst(count)).appending(function)
    }

    /// The names of a path, and the collection operator at its end with what follows it. An operator in the middle takes
    /// what the names after it lead to: `@max.author.age` is `author.age.@max`.
    private func parts(
        of keys: ArraySlice<Key>,
        from start: OperandType
    ) throws(GraphError) -> (steps: ArraySlice<Key>, function: [Key]) {
        guard let place = keys.firstIndex(where: \.isOperator) else { return (keys, []) }
        let before = keys[..<place]
        let after = keys[(place + 1)...]
        guard keys[place] != .collection(.count), isRestricted(after, from: types.follow(before, from: start)) else {
            return (before, Array(keys[place...]))
        }
        guard !after.contains(where: \.isOperator) else {
            throw .nestedOperators(keys.map(\.text).joined(separator: "."))
        }
        return (before + after, [keys[place]])
    }

    /// Whether a path leads to objects that may not be readable.
    private func isRestricted(_ keys: ArraySlice<Key>, from start: OperandType) -> Bool {
        var type = start
        for case .name(let name) in keys {
            type = types.step(name, from: type)
            if case .object(let entity) = type.kind, access.visibility(of: entity) != nil { return true }
        }
        return false
    }

    private func visibility(ofMembersAt collection: ObjectExpression, as member: ObjectExpression) -> [ObjectPredicate]
    {
        guard case .object(let entity) = types.end(of: collection).kind, let condition = access.visibility(of: entity)
        else { return [] }
        return [condition.based(on: member)]
    }
}

extension Comparison {
    /// The comparison of nil instead of the left operand.
    fileprivate var ofNil: ObjectPredicate {
        var ofNil = self
        ofNil.left = .constant(.null)
        ofNil.modifier = .direct
        guard case .constant = right else { return .comparison(ofNil) }
        return .constant((try? ObjectPredicate.comparison(ofNil).evaluate(with: NoObject())) ?? false)
    }
}

extension Key {
    fileprivate var isOperator: Bool {
        if case .collection = self { true } else { false }
    }
}

extension ObjectExpression {
    /// The path with further steps.
    fileprivate func appending(_ keys: [Key]) -> ObjectExpression {
        if keys.isEmpty { return self }
        guard case .keyPath(let root, let first) = self else { return .keyPath(of: self, keys) }
        return .keyPath(of: root, first + keys)
    }
}
