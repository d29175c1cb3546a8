// SPDX-License-Identifier: Apache-2.0

import Predicates
import PropertyList

/// Why an archived predicate can't be read, in one sentence.
struct UnreadablePredicate: Error {
    let message: String

    static let tooComplex = UnreadablePredicate(message: "It is too complex.")

    static func unknown(_ what: String, _ name: String) -> UnreadablePredicate {
        UnreadablePredicate(message: "The \(what) \(name) is unknown.")
    }
}

struct PredicateUnarchiver {
    /// How many more terms may be read: as many as in a text. Archived objects can refer to themselves.
    private(set) var terms: Int
    private var depth = 0
    /// How many more bytes of text and data may be read, since an archived value can be referenced many times.
    private var length = FormatLimits.standard.maximumLength

    init(terms: Int) {
        self.terms = min(terms, FormatLimits.standard.maximumTerms)
    }

    mutating func predicate(_ value: ArchivedValue) throws(UnreadablePredicate) -> ObjectPredicate {
        guard let object = value.object else { throw .unknown("predicate", "of another kind") }
        try enter()
        defer { depth -= 1 }
        if object.isKind(of: "NSComparisonPredicate") { return try comparison(object) }
        if object.isKind(of: "NSCompoundPredicate") { return try compound(object) }
        switch object.className {
        case "NSTruePredicate": return .constant(true)
        case "NSFalsePredicate": return .constant(false)
        default: throw .unknown("predicate", object.className)
        }
    }

    private mutating func compound(_ object: ArchivedObject) throws(UnreadablePredicate) -> ObjectPredicate {
        var predicates: [ObjectPredicate] = []
        for value in object["NSSubpredicates"]?.members.map(Array.init) ?? [] {
            predicates.append(try predicate(value))
        }
        switch object.integer("NSCompoundPredicateType") {
        case 0 where predicates.count == 1: return .not(predicates[0])
        case 1: return .all(of: predicates)
        case 2: return .any(of: predicates)
        default: throw .unknown("kind of", "compound predicate")
        }
    }

    private mutating func comparison(_ object: ArchivedObject) throws(UnreadablePredicate) -> ObjectPredicate {
        guard let archived = object["NSPredicateOperator"]?.object else {
            throw .unknown("operator", "of a comparison")
        }
        let number = archived.integer("NSOperatorType") ?? -1
        guard let `operator` = Comparison.Operator(archived: number) else { throw .unknown("operator", "\(number)") }
        let modifiers: [Comparison.Modifier] = [.direct, .all, .any]
        let modifier = archived.integer("NSModifier") ?? 0
        guard modifiers.indices.contains(modifier) else { throw .unknown("modifier", "\(modifier)") }
        // The options are under either key.
        let options = archived.integer("NSOptions") ?? archived.integer("NSFlags") ?? 0
        guard let bits = UInt8(exactly: options), bits < 16 else { throw .unknown("options", "\(options)") }
        return .comparing(
            try expression(object["NSLeftExpression"] ?? .null),
            `operator`,
            try expression(object["NSRightExpression"] ?? .null),
            modifier: modifiers[modifier],
            options: Comparison.Options(rawValue: bits)
        )
    }

    mutating func expression(_ value: ArchivedValue) throws(UnreadablePredicate) -> ObjectExpression {
        guard let object = value.object else {
            // Constants in lists are archived without an expression.
            return .constant(try constant(value))
        }
        try enter()
        defer { depth -= 1 }
        switch object.className {
        case "NSSelfExpression": return .evaluatedObject
        case "NSVariableExpression": return .variable(try variable(object["NSVariable"]))
        case "NSConstantValueExpression": return .constant(try constant(object["NSConstantValue"] ?? .null))
        case "NSKeyPathExpression", "NSFunctionExpression": return try function(object)
        case "NSAggregateExpression": return try aggregate(object)
        case "NSSubqueryExpression":
            return .subquery(
                try expression(object["NSCollection"] ?? .null),
                variable: try variable(object["NSVariable"]),
                try predicate(object["NSPredicate"] ?? .null)
            )
        case "NSTernaryExpression":
            return .ternary(
                try predicate(object["NSPredicate"] ?? .null),
                try expression(object["NSTrueExpression"] ?? .null),
                try expression(object["NSFalseExpression"] ?? .null)
            )
        case "NSSetExpression":
            let functions: [Int: Function] = [5: .union, 6: .intersect, 7: .minus]
            guard let function = object.integer("NSExpressionType").flatMap({ functions[$0] }) else { fallthrough }
            return .function(
                function,
                [
                    try expression(object["NSLeftExpression"] ?? .null),
                    try expression(object["NSRightExpression"] ?? .null),
                ]
            )
        default: throw .unknown("expression", object.className)
        }
    }

    private mutating func constant(_ value: ArchivedValue) throws(UnreadablePredicate) -> Value {
        guard let constant = value.modelValue else { throw .unknown("kind of", "constant") }
        if case .array(let members) = constant {
            for member in members { try charge(member.length) }
        } else {
            try charge(constant.length)
        }
        return constant
    }

    private mutating func variable(_ value: ArchivedValue?) throws(UnreadablePredicate) -> String {
        guard let name = value?.string ?? value?.object?.text("NSVariable") else {
            throw .unknown("kind of", "variable")
        }
        try charge(name.utf8.count)
        return name
    }

    private mutating func aggregate(_ object: ArchivedObject) throws(UnreadablePredicate) -> ObjectExpression {
        var members: [ObjectExpression] = []
        for value in object["NSCollection"]?.members.map(Array.init) ?? [] { members.append(try expression(value)) }
        let constants = members.compactMap { if case .constant(let value) = $0 { value } else { nil } }
        // A list of constants becomes a constant.
        return constants.count == members.count ? .constant(.array(constants)) : .aggregate(members)
    }

    private mutating func function(_ object: ArchivedObject) throws(UnreadablePredicate) -> ObjectExpression {
        let name = object.text("NSSelectorName") ?? ""
        let arguments = object["NSArguments"]?.members.map(Array.init) ?? []
        if let path = arguments.first.flatMap(Self.keyPath), ["valueForKey:", "valueForKeyPath:"].contains(name) {
            try charge(path.utf8.count)
            return try expression(object["NSOperand"] ?? .null).appending(Key.path(path))
        }
        var operands: [ObjectExpression] = []
        for argument in arguments { operands.append(try expression(argument)) }
        switch (name, operands.count) {
        case ("castObject:toType:", 2):
            guard case .constant(.string(let typeName)) = operands[1], let type = CastType(rawValue: typeName) else {
                throw .unknown("type", "that a value is cast to")
            }
            return .cast(operands[0], type)
        case ("objectFrom:withIndex:", 2): return .element(of: operands[0], Self.index(of: operands[1]))
        default: break
        }
        guard let function = Function(rawValue: name), function.arity.contains(operands.count) else {
            throw .unknown("function", "“\(name.prefix(100))”")
        }
        // Xcode archives `posts.@count` as a function of `posts`.
        if case .keyPath(let root, let keys) = operands.first, operands.count == 1 {
            switch function {
            case .count: return .keyPath(of: root, keys + [.collection(.count)])
            case .sum: return .keyPath(of: root, keys + [.collection(.sum)])
            default: break
            }
        }
        return .function(function, operands)
    }

    /// The key path argument of `valueForKey:`.
    private static func keyPath(_ value: ArchivedValue) -> String? {
        value.object?.text("NSKeyPath") ?? value.object?["NSConstantValue"]?.string
    }

    private static func index(of expression: ObjectExpression) -> ElementIndex {
        switch expression {
        case .constant(.string("FIRST")): .first
        case .constant(.string("LAST")): .last
        case .constant(.string("SIZE")): .size
        default: .at(expression)
        }
    }

    private mutating func enter() throws(UnreadablePredicate) {
        guard terms > 0, depth < FormatLimits.standard.maximumDepth / 2 else { throw .tooComplex }
        terms -= 1
        depth += 1
    }

    private mutating func charge(_ count: Int) throws(UnreadablePredicate) {
        guard count < length else { throw .tooComplex }
        length -= count + 1
    }
}

extension Value {
    /// The length of text or data in bytes.
    fileprivate var length: Int {
        switch self {
        case .string(let text), .uri(let text): text.utf8.count
        case .data(let data): data.count
        default: 0
        }
    }
}

extension ObjectExpression {
    /// The expression extended by a key path.
    fileprivate func appending(_ keys: [Key]) -> ObjectExpression {
        if case .keyPath(let root, let first) = self {
            .keyPath(of: root, first + keys)
        } else {
            .keyPath(of: self, keys)
        }
    }
}

extension Comparison.Operator {
    /// The operators by the numbers in Core Data's documentation.
    private static let archived: [Int: Comparison.Operator] = [
        0: .less, 1: .lessOrEqual, 2: .greater, 3: .greaterOrEqual, 4: .equal, 5: .notEqual, 6: .matches, 7: .like,
        8: .beginsWith, 9: .endsWith, 10: .in, 99: .contains, 100: .between,
    ]

    init?(archived number: Int) {
        guard let found = Self.archived[number] else { return nil }
        self = found
    }

    var archivedNumber: Int { Self.archived.first { $0.value == self }?.key ?? -1 }
}
