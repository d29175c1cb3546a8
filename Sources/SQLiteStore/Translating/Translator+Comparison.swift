// SPDX-License-Identifier: Apache-2.0

// Comparisons of single values: only similar kinds can be equal or ordered, and nil equals nil.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

extension Translator {
    mutating func compare(
        _ left: Node,
        _ operator: Comparison.Operator,
        _ right: Node,
        _ options: Comparison.Options
    ) throws(Untranslatable) -> Condition {
        switch `operator` {
        case .equal: return try equal(left, right, options)
        case .notEqual: return !(try equal(left, right, options))
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            return try order(left, `operator`, right, options)
        case .between: return try between(left, right, options)
        case .in: return try contains(right, left, options)
        case .contains: return try contains(left, right, options)
        case .beginsWith, .endsWith, .like, .matches:
            guard let left = try single(left), let right = try single(right) else { return .constant(false) }
            return try text(left, `operator`, right, options)
        }
    }

    /// A single value, or nil for an object, a composite or a list of values.
    private func single(_ node: Node) throws(Untranslatable) -> Term? {
        switch node {
        case .term(let term): return term
        case .object, .composite, .list: return nil
        case .many, .expressions: throw Untranslatable("compares a collection with one value")
        }
    }

    // MARK: Equality

    mutating func equal(_ left: Node, _ right: Node, _ options: Comparison.Options) throws(Untranslatable) -> Condition
    {
        switch (left, right) {
        case (.term(let left), .term(let right)): return try equal(left, right, options)
        case (.object(let left), .object(let right)): return equal(left, right)
        case (.object(let object), .term(let term)), (.term(let term), .object(let object)):
            return try equal(object, term)
        case (.composite, .term(let term)) where term.kind == .null: return try isNull(left)
        case (.term(let term), .composite) where term.kind == .null: return try isNull(right)
        default: throw Untranslatable("compares lists or dictionaries")
        }
    }

    private func equal(_ left: ObjectTerm, _ right: ObjectTerm) -> Condition {
        guard left.entity.rootIndex == right.entity.rootIndex else { return bothNull(isNull(left), isNull(right)) }
        return same(left.key, left.isNullable, right.key, right.isNullable)
    }

    private func equal(_ object: ObjectTerm, _ term: Term) throws(Untranslatable) -> Condition {
        switch (term.kind, term.constant) {
        case (.null, _): return isNull(object)
        case (.reference, .reference(let reference)?): return equal(object, to: [reference])
        case (.reference, _): throw Untranslatable("compares an object with a stored reference")
        case (.file, _), (.opaque, _): throw .unreadable
        default: return bothNull(isNull(object), isNull(term))
        }
    }

    /// Whether an object is one of the referenced ones.
    func equal(_ object: ObjectTerm, to references: [ObjectReference]) -> Condition {
        let keys = Dictionary(grouping: references.compactMap(named), by: \.entity.index)
        return .any(
            model.kinds(of: object.entity).compactMap { kind in
                guard let keys = keys[kind.index]?.map(\.key) else { return nil }
                let isOne: Condition =
                    keys.count == 1
                    ? comparing(object.key, "=", .value(.integer(keys[0])), object.isNullable, isSelective: true)
                    : Condition("\(object.key) IN \(.keys(keys))", isNullable: object.isNullable, isSelective: true)
                guard let number = object.number else { return isOne }
                let isKind = comparing(number, "=", .value(.integer(schema.numbers[kind])), object.isNullable)
                return .all([isOne, isKind])
            }
        )
    }

    /// The entity and key of a reference to this store, or nil if it isn't exactly such a reference.
    private func named(_ reference: ObjectReference) -> (entity: EntityDescription, key: Int64)? {
        let parts = reference.uri.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 5, let entity = model.entity(named: String(parts[3])), parts[4].first == "p",
            let key = Int64(parts[4].dropFirst()),
            ManagedObjectID(entity: entity, store: store, reference: .integer(key)).objectReference == reference
        else { return nil }
        return (entity, key)
    }

    mutating func equal(_ left: Term, _ right: Term, _ options: Comparison.Options) throws(Untranslatable) -> Condition
    {
        if let one = left.constant, let other = right.constant { return .constant(one.isEqual(to: other, options)) }
        if left.isNaN || right.isNaN { return .constant(false) }
        if left.constant != nil { return try equal(right, left, options) }
        if right.kind == .null { return isNull(left) }
        try left.expectReadable()
        try right.expectReadable()
        guard left.kind.isLike(right.kind) else { return bothNull(isNull(left), isNull(right)) }
        if left.kind == .reference, let uri = right.constant, !uri.isPlainReference {
            throw Untranslatable("compares with a reference that isn't plain")
        }
        if let object = left.named ?? right.named, options.isEmpty {
            let name = left.named == nil ? left : right
            if case .string(let name)? = name.constant { return isNamed(object, name) }
        }
        if left.kind.isText {
            if options.contains(.localeSensitive) {
                let order = ordering(left, right, options)
                let isSame = Condition("\(order) = 0", isNullable: true)
                return right.constant != nil ? isSame : .any([isSame, bothNull(isNull(left), isNull(right))])
            }
            return same(folded(left, options), folded(right, options))
        }
        if left.kind == .anyNumber || right.kind == .anyNumber || left.isDecimal(besideDouble: right) {
            let isSame = Condition("outcrop_order(\(left.sql), \(right.sql)) = 0", isNullable: true)
            return right.constant != nil ? isSame : .any([isSame, bothNull(isNull(left), isNull(right))])
        }
        if right.constant != nil {
            guard let value = right.stored(against: left) else { return .constant(false) }
            return comparing(left.sql, "=", .value(value), left.isNullable, isSelective: left.isIndexed)
        }
        return same(left.unconverted(against: right), right.unconverted(against: left))
    }

    private func isNamed(_ object: ObjectTerm, _ name: String) -> Condition {
        guard let entity = model.kinds(of: object.entity).first(where: { Value.string($0.name) == .string(name) })
        else {
            return .constant(false)
        }
        guard let number = object.number else { return !isNull(object) }
        return comparing(number, "=", .value(.integer(schema.numbers[entity])), object.isNullable)
    }

    private func same(_ left: Term, _ right: Term) -> Condition {
        same(
            left.sql,
            left.isNullable,
            right.sql,
            right.isNullable,
            isSelective: left.isIndexed && right.constant != nil
        )
    }

    private func same(
        _ left: SQL,
        _ leftIsNullable: Bool,
        _ right: SQL,
        _ rightIsNullable: Bool,
        isSelective: Bool = false
    ) -> Condition {
        leftIsNullable && rightIsNullable
            ? Condition("\(left) IS \(right)", isNullable: false, opposite: "\(left) IS NOT \(right)")
            : comparing(left, "=", right, leftIsNullable || rightIsNullable, isSelective: isSelective)
    }

    /// A comparison of two SQL expressions, at least one of which is never NULL.
    private func comparing(
        _ left: SQL,
        _ word: SQL,
        _ right: SQL,
        _ isNullable: Bool,
        isSelective: Bool = false
    ) -> Condition {
        Condition(
            "\(left) \(word) \(right)",
            isNullable: isNullable,
            isSelective: isSelective,
            opposite: "\(left) IS NOT \(right)"
        )
    }

    private func bothNull(_ left: Condition, _ right: Condition) -> Condition { .all([left, right]) }

    // MARK: Order

    private mutating func order(
        _ left: Node,
        _ operator: Comparison.Operator,
        _ right: Node,
        _ options: Comparison.Options
    ) throws(Untranslatable) -> Condition {
        if case .object(let object) = left { return try order(object, `operator`, right) }
        if case .object(let object) = right { return try order(object, `operator`.mirrored, left) }
        guard let left = try single(left), let right = try single(right) else { return .constant(false) }
        return try order(left, `operator`, right, options)
    }

    /// Objects are ordered by their keys, and those of different stores by store.
    private func order(
        _ object: ObjectTerm,
        _ operator: Comparison.Operator,
        _ other: Node
    ) throws(Untranslatable) -> Condition {
        switch other {
        case .object(let other):
            guard object.entity.rootIndex == other.entity.rootIndex else {
                throw Untranslatable("sorts objects of different entities")
            }
            return Condition(
                "\(object.key) \(`operator`.sql) \(other.key)",
                isNullable: object.isNullable || other.isNullable
            )
        case .term(let term):
            guard term.kind == .reference else {
                if !term.kind.isReadable { throw .unreadable }
                return .constant(false)
            }
            guard case .reference(let reference)? = term.constant else {
                throw Untranslatable("sorts an object relative to a stored reference")
            }
            if let named = named(reference), named.entity.rootIndex == object.entity.rootIndex {
                return Condition(
                    "\(object.key) \(`operator`.sql) \(value: .integer(named.key))",
                    isNullable: object.isNullable
                )
            }
            // A reference to another store comes before or after all objects here.
            let first = ManagedObjectID(entity: object.entity, store: store, reference: .integer(1)).objectReference
            guard reference.storeName != first.storeName else {
                throw Untranslatable("sorts objects of different entities")
            }
            let holds = `operator`.holds(first.order(to: reference))
            return holds ? !isNull(object) : .constant(false)
        case .list: return .constant(false)
        case .composite: return .constant(false)
        case .many, .expressions: throw Untranslatable("compares a collection with one value")
        }
    }

    mutating func order(
        _ left: Term,
        _ operator: Comparison.Operator,
        _ right: Term,
        _ options: Comparison.Options
    ) throws(Untranslatable) -> Condition {
        if let one = left.constant, let other = right.constant {
            return .constant(one.order(to: other, options).map(`operator`.holds) ?? false)
        }
        if left.isNaN || right.isNaN || left.kind == .null || right.kind == .null { return .constant(false) }
        try left.expectReadable()
        try right.expectReadable()
        if !left.kind.isLike(right.kind) { return .constant(false) }
        if left.kind == .reference { throw Untranslatable("sorts stored references") }
        if left.constant != nil { return try order(right, `operator`.mirrored, left, options) }
        let isNullable = left.isNullable || right.isNullable
        let word = `operator`.sql
        if left.kind.isText {
            if options.contains(.localeSensitive) {
                return Condition("\(ordering(left, right, options)) \(word) 0", isNullable: isNullable)
            }
            let left = folded(left, options)
            let right = folded(right, options)
            return Condition("\(left.sql) \(word) \(right.sql)", isNullable: isNullable)
        }
        if left.kind.isDecimal || right.kind.isDecimal { return decimalOrder(left, `operator`, right) }
        if right.constant != nil, let value = right.stored(against: left) {
            return Condition("\(left.sql) \(word) \(value: value)", isNullable: isNullable)
        }
        let one = left.unconverted(against: right)
        let other = right.unconverted(against: left)
        return Condition("\(one.sql) \(word) \(other.sql)", isNullable: isNullable)
    }

    /// Compares numbers by SQLite's order, and blobs of digits, which come after all numbers, one by one.
    private func decimalOrder(_ left: Term, _ operator: Comparison.Operator, _ right: Term) -> Condition {
        let exact: SQL = "outcrop_order(\(left.sql), \(right.sql)) \(`operator`.sql) 0"
        guard left.isColumn, left.kind == .decimal, right.constant != nil, let value = right.stored(against: left)
        else {
            return Condition(exact, isNullable: true)
        }
        if case .blob = value { return Condition(exact, isNullable: true) }
        let column = left.sql
        let isBelow = `operator` == .less || `operator` == .lessOrEqual
        let native: SQL = "\(column) \(`operator`.sql) \(value: value)"
        return Condition(
            isBelow
                ? "(\(native) OR \(column) >= x'' AND \(exact))"
                : "(\(native) AND \(column) < x'' OR \(column) >= x'' AND \(exact))",
            isNullable: true
        )
    }

    private mutating func between(
        _ value: Node,
        _ bounds: Node,
        _ options: Comparison.Options
    ) throws(Untranslatable) -> Condition {
        var ends: [Node] = []
        switch bounds {
        case .list(let values): for value in values { ends.append(node(value)) }
        case .expressions(let expressions): for expression in expressions { ends.append(try node(expression)) }
        case .term, .object: return .constant(false)
        case .many, .composite: throw Untranslatable("has BETWEEN with a collection")
        }
        guard ends.count == 2 else { return .constant(false) }
        return .all([
            try order(value, .greaterOrEqual, ends[0], options),
            try order(value, .lessOrEqual, ends[1], options),
        ])
    }
}

extension Term {
    /// Whether a column of decimals is compared with one of doubles: equal values may have different forms.
    fileprivate func isDecimal(besideDouble other: Term) -> Bool {
        guard constant == nil, other.constant == nil else { return false }
        return kind == .decimal && [.double, .number].contains(other.kind)
            || other.kind == .decimal && [.double, .number].contains(kind)
    }
}

extension Value {
    /// Whether equal references always have the same bytes.
    fileprivate var isPlainReference: Bool {
        if case .reference(let reference) = self { reference.uri.utf8.allSatisfy { $0 < 0x80 } } else { false }
    }
}

extension Comparison.Operator {
    var sql: SQL { SQL(text: rawValue) }

    fileprivate func holds(_ order: ComparisonResult) -> Bool {
        switch self {
        case .less: order == .orderedAscending
        case .lessOrEqual: order != .orderedDescending
        case .greater: order == .orderedDescending
        default: order != .orderedAscending
        }
    }

    /// The operator with its sides exchanged.
    fileprivate var mirrored: Self {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: self
        }
    }
}
