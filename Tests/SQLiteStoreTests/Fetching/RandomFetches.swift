// SPDX-License-Identifier: Apache-2.0

// Random requests that a store of a random model can answer.

import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import TestSupport

struct RandomFetches {
    let model: ManagedObjectModel
    let objects: [ManagedObjectID]
    var random: SeededGenerator
    private var variables = 0

    init(_ model: ManagedObjectModel, _ objects: [ManagedObjectID], _ random: SeededGenerator) {
        (self.model, self.objects, self.random) = (model, objects, random)
    }

    private mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }

    private mutating func chance(_ percent: Int) -> Bool { random.chance(percent) }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    // MARK: Requests

    mutating func request() -> StoreFetchRequest {
        let entity = pick(model.entities)
        var request = StoreFetchRequest(entity: entity, includesSubentities: chance(75))
        if chance(90) { request.predicate = predicate(entity, .evaluatedObject, depth: 3) }
        if chance(3) { request.predicate = deepPredicate(entity) }
        for _ in 0..<number(0...2) {
            request.sortDescriptors.append(
                ObjectSortDescriptor(
                    sortKey(entity),
                    ascending: chance(60),
                    options: chance(30) ? options() : []
                )
            )
        }
        if chance(30) { request.limit = number(0...8) }
        if chance(20) { request.offset = number(0...5) }
        if chance(3) { (request.offset, request.limit) = (pick([0, 2, .max]), .max) }
        switch number(0...9) {
        case 0, 1: request.kind = .objectIDs
        case 2: request.kind = .count
        case 3, 4, 5: table(&request)
        default: break
        }
        return request
    }

    /// A predicate that may be nested more deeply or be longer than SQLite accepts.
    private mutating func deepPredicate(_ entity: EntityDescription) -> ObjectPredicate {
        var predicate = predicate(entity, .evaluatedObject, depth: 1)
        for level in 0..<number(2...50) {
            let others = (0..<pick([1, 2, 60])).map { _ in
                let (left, type) = scalar(entity, .evaluatedObject, depth: 0)
                return comparison(left, type)
            }
            switch number(0...3) {
            case 0: predicate = .not(predicate)
            case 1: predicate = .comparing(.ternary(predicate, .constant(1), .constant(0)), .equal, .constant(1))
            default: predicate = level.isMultiple(of: 2) ? .and(others + [predicate]) : .or([predicate] + others)
            }
        }
        return predicate
    }

    private mutating func sortKey(_ entity: EntityDescription) -> ObjectExpression {
        if chance(10) { return .evaluatedObject }
        if chance(10), let one = toOne(entity, .evaluatedObject) { return one.0 }
        return attribute(entity, .evaluatedObject)?.0 ?? .evaluatedObject
    }

    private mutating func table(_ request: inout StoreFetchRequest) {
        let entity = request.entity
        request.sortDescriptors = []
        if chance(50) {
            let keys = (0..<number(0...2)).compactMap { _ in
                chance(20) ? toOne(entity, .evaluatedObject)?.0 : attribute(entity, .evaluatedObject)?.0
            }
            var columns = keys.enumerated().map { ExpressionDescription("k\($0)", $1) }
            for index in 0..<number(1...3) {
                columns.append(ExpressionDescription("a\(index)", aggregate(entity)))
            }
            var table = TableRequest(columns: columns, groupBy: keys, isDistinct: chance(15))
            if !keys.isEmpty, chance(30) {
                table.having = .comparing(aggregate(entity), pick([.greater, .equal, .notEqual, .less]), number())
            }
            if chance(50) {
                request.sortDescriptors = [ObjectSortDescriptor(pick(columns).expression, ascending: chance(50))]
            }
            request.kind = .table(table)
        } else {
            let columns = (0..<number(1...3)).map { index in
                let expression: ObjectExpression =
                    chance(70)
                    ? attribute(entity, .evaluatedObject)?.0 ?? .evaluatedObject
                    : chance(30)
                        ? toOne(entity, .evaluatedObject)?.0 ?? .evaluatedObject
                        : scalar(entity, .evaluatedObject, depth: 2).0
                return ExpressionDescription("c\(index)", expression)
            }
            let isDistinct = chance(40)
            if isDistinct, chance(50) {
                request.sortDescriptors = [ObjectSortDescriptor(pick(columns).expression, ascending: chance(50))]
            } else if !isDistinct, chance(50) {
                request.sortDescriptors = [ObjectSortDescriptor(sortKey(entity), ascending: chance(50))]
            }
            request.kind = .table(TableRequest(columns: columns, isDistinct: isDistinct))
        }
    }

    private mutating func number() -> ObjectExpression { .constant(.integer(Int64(number(-2...5)))) }

    private mutating func aggregate(_ entity: EntityDescription) -> ObjectExpression {
        if chance(25) { return .function(.count, [.evaluatedObject]) }
        if chance(15), let (one, _) = toOne(entity, .evaluatedObject) { return .function(.count, [one]) }
        guard let (path, type) = attribute(entity, .evaluatedObject) else {
            return .function(.count, [.evaluatedObject])
        }
        if chance(15), case .keyPath(of: .evaluatedObject, let keys) = path {
            return .function(.count, [.keyPath(of: .evaluatedObject, [.collection(.distinctUnionOfObjects)] + keys)])
        }
        let functions: [Predicates.Function] =
            RandomFetches.isNumeric(type)
            ? [.sum, .average, .minimum, .maximum, .count, .median, .mode, .standardDeviation]
            : [.minimum, .maximum, .count]
        return .function(pick(functions), [path])
    }

    static func isNumeric(_ type: AttributeType) -> Bool {
        [.int16, .int32, .int64, .decimal, .double, .float, .bool].contains(type)
    }

    // MARK: Predicates

    private mutating func options() -> Comparison.Options {
        pick([
            [], [.caseInsensitive], [.diacriticInsensitive], [.caseInsensitive, .diacriticInsensitive],
            [.caseInsensitive, .diacriticInsensitive], [.normalized, .caseInsensitive], [.localeSensitive],
            [.localeSensitive, .caseInsensitive],
        ])
    }

    mutating func predicate(_ entity: EntityDescription, _ root: ObjectExpression, depth: Int) -> ObjectPredicate {
        if depth > 0, chance(45) {
            switch number(0...4) {
            case 0: return .not(predicate(entity, root, depth: depth - 1))
            case 1, 2: return .and((0..<number(2...3)).map { _ in predicate(entity, root, depth: depth - 1) })
            default: return .or((0..<number(2...3)).map { _ in predicate(entity, root, depth: depth - 1) })
            }
        }
        if chance(3) { return .constant(chance(50)) }
        switch number(0...9) {
        case 0: if let predicate = objectPredicate(entity, root) { return predicate }
        case 1, 2: if let predicate = manyPredicate(entity, root, depth: depth) { return predicate }
        case 3:
            if let (many, member) = toMany(entity, root) {
                variables += 1
                let name = "v\(variables)"
                let inner = depth > 0 ? predicate(member, .variable(name), depth: depth - 1) : .constant(true)
                let subquery = ObjectExpression.subquery(many, variable: name, inner)
                if chance(30), let (attribute, type) = attribute(member, nil) {
                    return comparison(append(attribute, to: subquery), type, modifier: pick([.any, .all]))
                }
                return .comparing(
                    append([.collection(.count)], to: subquery),
                    pick([.greater, .equal, .notEqual, .less, .greaterOrEqual]),
                    .constant(.integer(Int64(number(0...2))))
                )
            }
        default: break
        }
        let (left, type) = scalar(entity, root, depth: 2)
        if chance(15) {
            let (right, _) = scalar(entity, root, depth: 1)
            return .comparing(
                left,
                pick([.equal, .notEqual, .less, .greaterOrEqual, .equal]),
                right,
                options: options()
            )
        }
        if chance(10), let right = attributes(entity).filter({ $0.type == type }).randomElement(using: &random) {
            return .comparing(
                left,
                pick([.equal, .notEqual, .less, .in, .contains]),
                keyPath(root, [.name(right.name)]),
                options: options()
            )
        }
        return comparison(left, type, modifier: chance(5) ? pick([.any, .all]) : .direct)
    }

    private mutating func comparison(
        _ left: ObjectExpression,
        _ type: AttributeType,
        modifier: Comparison.Modifier = .direct
    ) -> ObjectPredicate {
        let options: Comparison.Options = chance(50) ? [] : options()
        switch number(0...11) {
        case 0:
            return .comparing(left, pick([.equal, .notEqual]), .constant(.null), modifier: modifier, options: options)
        case 1, 2:
            let count = chance(10) ? number(250...300) : number(0...5)
            var values = (0..<count).map { _ in value(like: type) }
            if chance(20) { values.append(.null) }
            if chance(15) { values.append(value(like: pick(RandomStore.types))) }
            return .comparing(left, .in, .constant(.array(values)), modifier: modifier, options: options)
        case 3:
            return .comparing(
                left,
                .between,
                .constant(.array([value(like: type), value(like: type)])),
                modifier: modifier,
                options: options
            )
        case 4, 5,
            6 where type == .string || type == .uri || type == .binary:
            let part = chance(85) ? value(like: type) : value(like: pick(RandomStore.types))
            return .comparing(
                left,
                pick([.beginsWith, .endsWith, .contains]),
                .constant(part),
                modifier: modifier,
                options: options
            )
        case 7 where type == .string || type == .uri:
            let pattern = pick([
                "a*", "*b", "?", "a?b", "*", "", "ab", "*a*", "\\*", "A*", "strasse*", "É*", "STRASSE", "**",
            ])
            return .comparing(left, .like, .constant(.string(pattern)), modifier: modifier, options: options)
        case 8 where type == .string || type == .uri:
            let pattern = pick(["a.*", "[a-z]+", ".*b", "", "(?i)ole", "a|ab", "\\d+"])
            return .comparing(left, .matches, .constant(.string(pattern)), modifier: modifier, options: options)
        case 9 where modifier == .direct:
            return .comparing(
                .constant(value(like: type)),
                pick([.equal, .less, .greaterOrEqual]),
                left,
                options: options
            )
        default:
            return .comparing(
                left,
                pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]),
                .constant(chance(92) ? value(like: type) : value(like: pick(RandomStore.types))),
                modifier: modifier,
                options: options
            )
        }
    }

    /// A value that may equal one of an attribute's type, possibly of another type.
    private mutating func value(like type: AttributeType) -> Value {
        let numbers: [AttributeType] = [.int16, .int64, .decimal, .double, .bool]
        if numbers.contains(type) || type == .int32 || type == .float, chance(35) {
            return RandomValues.value(of: pick(numbers), &random)
        }
        if type == .string || type == .uri, chance(20) {
            return RandomValues.value(of: pick([.string, .uri]), &random)
        }
        return RandomValues.value(of: type, &random)
    }

    private mutating func reference() -> Value {
        guard let object = objects.randomElement(using: &random) else { return .null }
        if chance(5) { return .reference(ObjectReference(uri: "x-coredata://nowhere/Alpha/p1")) }
        return .reference(object.objectReference)
    }

    private mutating func objectPredicate(_ entity: EntityDescription, _ root: ObjectExpression) -> ObjectPredicate? {
        let left: ObjectExpression
        if chance(60) {
            guard let (one, _) = toOne(entity, root) else { return nil }
            left = chance(30) ? append([.name("objectID")], to: one) : one
        } else {
            left = root
        }
        switch number(0...5) {
        case 0: return .comparing(left, pick([.equal, .notEqual]), .constant(.null))
        case 1:
            return .comparing(
                left,
                .in,
                .constant(.array((0..<number(0...6)).map { _ in chance(8) ? .null : reference() }))
            )
        case 2:
            guard let (many, _) = toMany(entity, root) else { return nil }
            return chance(50) ? .comparing(left, .in, many) : .comparing(many, .contains, left)
        case 3:
            guard let (other, _) = toOne(entity, root) else { return nil }
            return .comparing(left, pick([.equal, .notEqual]), other)
        case 4:
            return .comparing(
                append([.name("entity")], to: left),
                pick([.equal, .notEqual, .beginsWith, .in]),
                .constant(.string(pick(["Alpha", "Beta", "Gamma", "Delta", "A"]))),
                options: chance(20) ? options() : []
            )
        default: return .comparing(left, pick([.equal, .notEqual]), .constant(reference()))
        }
    }

    private mutating func manyPredicate(
        _ entity: EntityDescription,
        _ root: ObjectExpression,
        depth: Int
    ) -> ObjectPredicate? {
        guard let (many, member) = toMany(entity, root) else { return nil }
        if chance(15) {
            return .comparing(many, pick([.equal, .notEqual]), .constant(reference()), modifier: pick([.any, .all]))
        }
        guard let (path, type) = attribute(member, nil) else { return nil }
        if chance(15) {
            return .comparing(
                .constant(value(like: type)),
                .in,
                append(path, to: many),
                options: chance(20) ? options() : []
            )
        }
        if chance(10), let (element, type) = attribute(member, nil) {
            return comparison(
                append(element, to: .element(of: many, pick([.first, .last, .at(.constant(1)), .at(.constant(-1))]))),
                type
            )
        }
        return comparison(append(path, to: many), type, modifier: pick([.any, .all]))
    }

    // MARK: Expressions

    private mutating func scalar(
        _ entity: EntityDescription,
        _ root: ObjectExpression,
        depth: Int
    ) -> (ObjectExpression, AttributeType) {
        let plain = attribute(entity, root) ?? (.constant(1), .int64)
        guard depth > 0, chance(35) else { return plain }
        switch number(0...9) {
        case 0, 1, 2:
            let (left, right) = (numeric(entity, root, depth: depth - 1), numeric(entity, root, depth: depth - 1))
            let functions: [Predicates.Function] = [
                .add, .subtract, .multiply, .divide, .modulus, .raise, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift,
                .rightShift,
            ]
            return (.function(pick(functions), [left, right]), .double)
        case 3:
            let functions: [Predicates.Function] = [
                .absolute, .floor, .ceiling, .truncate, .negate, .squareRoot, .onesComplement, .logarithm, .exponential,
            ]
            return (.function(pick(functions), [numeric(entity, root, depth: depth - 1)]), .double)
        case 4:
            let (text, type) = scalar(entity, root, depth: depth - 1)
            guard type == .string || type == .uri else { return plain }
            return chance(30)
                ? (.function(.length, [text]), .int64)
                : (.function(pick([.uppercase, .lowercase, .canonical, .noIndex]), [text]), .string)
        case 5:
            let (first, type) = scalar(entity, root, depth: depth - 1)
            return (.ternary(predicate(entity, root, depth: 0), first, .constant(value(like: type))), type)
        case 6, 7:
            guard let (many, member) = toMany(entity, root) else { return plain }
            if chance(40) { return (append([.collection(.count)], to: many), .int64) }
            guard let (path, type) = attribute(member, nil) else { return plain }
            if chance(20) { return (append([.collection(.count)], to: append(path, to: many)), .int64) }
            if chance(10) {
                return (
                    append(
                        [.collection(.count)],
                        to: append(path, to: append([.collection(.distinctUnionOfObjects)], to: many))
                    ), .int64
                )
            }
            let functions: [CollectionOperator] =
                Self.isNumeric(type) ? [.sum, .minimum, .maximum, .average] : [.minimum, .maximum]
            return (append([.collection(pick(functions))], to: append(path, to: many)), type)
        case 8:
            let type = pick([CastType.string, .number, .decimal, .date])
            return (.cast(plain.0, type), type == .string ? .string : type == .date ? .date : .double)
        default:
            guard let date = attributes(entity).filter({ $0.type == .date }).randomElement(using: &random) else {
                return plain
            }
            let path = keyPath(root, [.name(date.name)])
            return chance(50)
                ? (.function(.add, [path, numeric(entity, root, depth: 0)]), .date)
                : (.function(.subtract, [path, path]), .double)
        }
    }

    private mutating func numeric(_ entity: EntityDescription, _ root: ObjectExpression, depth: Int) -> ObjectExpression
    {
        let (expression, type) = scalar(entity, root, depth: depth)
        return Self.isNumeric(type) && chance(75)
            ? expression : .constant(value(like: pick([.int16, .int64, .double, .decimal])))
    }

    private func attributes(_ entity: EntityDescription) -> [AttributeDescription] {
        entity.attributes.filter { if case .composite = $0.type { false } else { true } }
    }

    /// An attribute of an object, or of one that a few relationships refer to; a nil root gives a path without one.
    private mutating func attribute(
        _ entity: EntityDescription,
        _ root: ObjectExpression?
    ) -> (ObjectExpression, AttributeType)? {
        var (keys, entity): ([Key], EntityDescription) = ([], entity)
        while chance(25), let relationship = entity.toOnes.randomElement(using: &random) {
            keys.append(.name(relationship.name))
            entity = model.destination(of: relationship)
        }
        guard let attribute = entity.attributes.randomElement(using: &random) else { return nil }
        keys.append(.name(attribute.name))
        if let element = attribute.elements.randomElement(using: &random) {
            keys.append(.name(element.name))
            return (keyPath(root ?? .evaluatedObject, keys), element.type)
        }
        return (keyPath(root ?? .evaluatedObject, keys), attribute.type)
    }

    private mutating func toOne(
        _ entity: EntityDescription,
        _ root: ObjectExpression
    ) -> (ObjectExpression, EntityDescription)? {
        var (keys, entity): ([Key], EntityDescription) = ([], entity)
        while let relationship = entity.toOnes.randomElement(using: &random) {
            keys.append(.name(relationship.name))
            entity = model.destination(of: relationship)
            if chance(70) { break }
        }
        return keys.isEmpty ? nil : (keyPath(root, keys), entity)
    }

    private mutating func toMany(
        _ entity: EntityDescription,
        _ root: ObjectExpression
    ) -> (ObjectExpression, EntityDescription)? {
        var (keys, entity): ([Key], EntityDescription) = ([], entity)
        if chance(20), let relationship = entity.toOnes.randomElement(using: &random) {
            keys.append(.name(relationship.name))
            entity = model.destination(of: relationship)
        }
        guard let relationship = entity.toManys.randomElement(using: &random) else { return nil }
        keys.append(.name(relationship.name))
        entity = model.destination(of: relationship)
        if chance(20), let more = entity.toManys.randomElement(using: &random) {
            keys.append(.name(more.name))
            entity = model.destination(of: more)
        }
        return (keyPath(root, keys), entity)
    }

    private func keyPath(_ root: ObjectExpression, _ keys: [Key]) -> ObjectExpression { append(keys, to: root) }

    private func append(_ keys: [Key], to root: ObjectExpression) -> ObjectExpression {
        if case .keyPath(let inner, let first) = root { return .keyPath(of: inner, first + keys) }
        return .keyPath(of: root, keys)
    }

    private func append(_ path: ObjectExpression, to root: ObjectExpression) -> ObjectExpression {
        guard case .keyPath(_, let keys) = path else { return root }
        return append(keys, to: root)
    }
}
