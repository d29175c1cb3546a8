// SPDX-License-Identifier: Apache-2.0

// Predicates, expressions and values as objects of an archive. They were parsed from text, which bounds their depth.

import FoundationEssentials
import Predicates
import PropertyList

extension KeyedArchiveBuilder {
    mutating func add(_ predicate: ObjectPredicate) throws(ModelError) -> PropertyListValue {
        switch predicate {
        case .constant(let holds):
            return add(class: [holds ? "NSTruePredicate" : "NSFalsePredicate", "NSPredicate", "NSObject"], [])
        case .comparison(let comparison): return try add(comparison)
        case .not(let inner): return try add(compound: 0, of: [inner])
        case .and(let predicates): return try add(compound: 1, of: predicates)
        case .or(let predicates): return try add(compound: 2, of: predicates)
        }
    }

    private mutating func add(
        compound number: Int64,
        of predicates: [ObjectPredicate]
    ) throws(ModelError) -> PropertyListValue {
        var places: [PropertyListValue] = []
        for predicate in predicates { places.append(try add(predicate)) }
        return add(
            class: ["NSCompoundPredicate", "NSPredicate", "NSObject"],
            [("NSCompoundPredicateType", .integer(Int128(number))), ("NSSubpredicates", add(array: places))]
        )
    }

    private mutating func add(_ comparison: Comparison) throws(ModelError) -> PropertyListValue {
        let left = try add(comparison.left)
        let right = try add(comparison.right)
        return add(
            class: ["NSComparisonPredicate", "NSPredicate", "NSObject"],
            [
                ("NSLeftExpression", left), ("NSRightExpression", right),
                ("NSPredicateOperator", addOperator(of: comparison)),
            ]
        )
    }

    private mutating func addOperator(of comparison: Comparison) -> PropertyListValue {
        let number = PropertyListValue.integer(Int128(comparison.operator.archivedNumber))
        let options = PropertyListValue.integer(Int128(comparison.options.rawValue))
        let modifiers: [Comparison.Modifier: PropertyListValue] = [.direct: 0, .all: 1, .any: 2]
        let (name, contents): (String, [(String, PropertyListValue)]) =
            switch comparison.operator {
            case .equal: ("NSEqualityPredicateOperator", [("NSOptions", options), ("NSNegate", false)])
            case .notEqual: ("NSEqualityPredicateOperator", [("NSOptions", options), ("NSNegate", true)])
            case .less, .lessOrEqual, .greater, .greaterOrEqual:
                ("NSComparisonPredicateOperator", [("NSOptions", options), ("NSVariant", number)])
            case .between: ("NSBetweenPredicateOperator", [("NSOptions", options)])
            case .in, .contains: ("NSInPredicateOperator", [("NSFlags", options)])
            case .beginsWith, .endsWith: ("NSSubstringPredicateOperator", [("NSFlags", options)])
            case .like: ("NSLikePredicateOperator", [("NSFlags", options)])
            case .matches: ("NSMatchingPredicateOperator", [("NSFlags", options)])
            }
        return add(
            class: [name, "NSPredicateOperator", "NSObject"],
            contents + [("NSOperatorType", number), ("NSModifier", modifiers[comparison.modifier] ?? 0)]
        )
    }

    mutating func add(_ expression: ObjectExpression) throws(ModelError) -> PropertyListValue {
        switch expression {
        case .constant(let value): return try addConstant(value)
        case .evaluatedObject: return add(expression: "NSSelfExpression", 1, [])
        case .variable(let name):
            let name = add(name)
            return add(expression: "NSVariableExpression", 2, [("NSVariable", name)])
        case .argument:
            throw .unwritable("“\(expression)” has no value, so it can't be compiled.")
        case .keyPath(let root, let keys): return try addKeyPath(root, keys)
        case .element(let collection, let index):
            return try addFunction("objectFrom:withIndex:", [collection, index.expression])
        case .cast(let operand, let type):
            return try addFunction("castObject:toType:", [operand, .constant(.string(type.rawValue))])
        case .function(let function, let operands):
            let sets: [Function: Int64] = [.union: 5, .intersect: 6, .minus: 7]
            guard let number = sets[function], operands.count == 2 else {
                return try addFunction(function.rawValue, operands)
            }
            let left = try add(operands[0])
            let right = try add(operands[1])
            return add(
                expression: "NSSetExpression",
                number,
                [("NSLeftExpression", left), ("NSRightExpression", right)]
            )
        case .aggregate(let members): return try addAggregate(members)
        case .ternary(let condition, let holds, let fails):
            let contents = [
                ("NSPredicate", try add(condition)), ("NSTrueExpression", try add(holds)),
                ("NSFalseExpression", try add(fails)),
            ]
            return add(expression: "NSTernaryExpression", 20, contents)
        case .subquery(let collection, let variable, let condition):
            let contents = [
                ("NSCollection", try add(collection)), ("NSVariable", add(variable)),
                ("NSPredicate", try add(condition)),
            ]
            return add(expression: "NSSubqueryExpression", 13, contents)
        }
    }

    private mutating func add(
        expression name: String,
        _ number: Int64,
        _ contents: [(String, PropertyListValue)]
    ) -> PropertyListValue {
        // A key path expression is a subclass of a function expression.
        let chain = name == "NSKeyPathExpression" ? [name, "NSFunctionExpression"] : [name]
        return add(
            class: chain + ["NSExpression", "NSObject"],
            contents + [("NSExpressionType", .integer(Int128(number)))]
        )
    }

    private mutating func addConstant(_ value: Value) throws(ModelError) -> PropertyListValue {
        switch value {
        case .null:
            return add(
                expression: "NSConstantValueExpression",
                0,
                [("NSConstantValueClassName", Self.null)]
            )
        case .array(let members): return try addAggregate(members.map(ObjectExpression.constant))
        default:
            let place = try add(value)
            return add(expression: "NSConstantValueExpression", 0, [("NSConstantValue", place)])
        }
    }

    private mutating func addAggregate(_ members: [ObjectExpression]) throws(ModelError) -> PropertyListValue {
        var places: [PropertyListValue] = []
        for member in members { places.append(try add(member)) }
        let list = add(array: places)
        return add(expression: "NSAggregateExpression", 14, [("NSCollection", list)])
    }

    private mutating func addKeyPath(_ root: ObjectExpression, _ keys: [Key]) throws(ModelError) -> PropertyListValue {
        // Xcode archives `posts.@count` as a function of `posts`.
        if keys.count > 1, case .collection(let last)? = keys.last, last == .count || last == .sum {
            let function: Function = last == .count ? .count : .sum
            return try addFunction(function.rawValue, [.keyPath(of: root, keys.dropLast())])
        }
        var names: [String] = []
        for key in keys {
            switch key {
            case .name(let name): names.append(name)
            case .collection(let collection): names.append(collection.rawValue)
            case .argument: throw .unwritable("A key path has an unsubstituted part, so it can't be compiled.")
            }
        }
        let path = add(names.joined(separator: "."))
        let specifier = add(expression: "NSKeyPathSpecifierExpression", 10, [("NSKeyPath", path)])
        let isOwn = root == .evaluatedObject
        let operand = try add(root)
        return add(
            expression: "NSKeyPathExpression",
            isOwn ? 3 : 4,
            [
                ("NSOperand", operand),
                ("NSSelectorName", add(isOwn && names.count == 1 ? "valueForKey:" : "valueForKeyPath:")),
                ("NSArguments", add(array: [specifier], mutable: true)),
            ]
        )
    }

    private mutating func addFunction(
        _ name: String,
        _ operands: [ObjectExpression]
    ) throws(ModelError) -> PropertyListValue {
        let utilities = add("_NSPredicateUtilities")
        let operand = add(expression: "NSConstantValueExpression", 0, [("NSConstantValueClassName", utilities)])
        var arguments: [PropertyListValue] = []
        for operand in operands { arguments.append(try add(operand)) }
        return add(
            expression: "NSFunctionExpression",
            4,
            [
                ("NSOperand", operand), ("NSSelectorName", add(name)),
                ("NSArguments", add(array: arguments)),
            ]
        )
    }

    mutating func add(_ value: Value) throws(ModelError) -> PropertyListValue {
        switch value {
        case .null: return addNull()
        case .bool(let value): return add(.boolean(value))
        case .integer(let value): return add(.integer(Int128(value)))
        case .double(let value): return add(.real(value))
        case .decimal(let value):
            guard let decimal = ArchivedDecimal(value.description) else { throw .unarchivable(value.description) }
            return add(decimal: decimal)
        case .string(let text): return add(text)
        case .date(let date): return add(date: date.timeIntervalSinceReferenceDate)
        case .data(let data): return add(.data(Array(data)))
        case .uuid(let uuid):
            let (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) = uuid.uuid
            return add(uuid: [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p])
        case .uri(let text): return add(url: text)
        case .array(let members):
            var places: [PropertyListValue] = []
            for member in members { places.append(try add(member)) }
            return add(array: places)
        case .reference, .dictionary: throw .unarchivable("\(ObjectExpression.constant(value))")
        }
    }
}

extension ElementIndex {
    fileprivate var expression: ObjectExpression {
        switch self {
        case .first: .constant("FIRST")
        case .last: .constant("LAST")
        case .size: .constant("SIZE")
        case .at(let index): index
        }
    }
}

extension ModelError {
    fileprivate static func unarchivable(_ value: String) -> ModelError {
        .unwritable("The value “\(value)” can't be compiled.")
    }
}
