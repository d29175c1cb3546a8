// SPDX-License-Identifier: Apache-2.0

// Untyped values, as in transformable attributes: a value of the wrong kind for a function becomes nil, and aggregates
// skip it.

extension Evaluator {
    /// Whether the values of an expression come from an untyped source.
    package func isUntyped(_ expression: ObjectExpression, for object: any KeyValueObject) throws -> Bool {
        switch expression {
        case .constant, .evaluatedObject, .argument, .cast: return false
        case .variable(let name): return untypedVariables.contains(name)
        case .keyPath(let root, let keys):
            if try isUntyped(root, for: object) { return true }
            var operand = try self.operand(of: root, for: object)
            for case .name(let name) in keys {
                if (operand.members ?? [operand]).contains(where: { $0.isUntyped(name) }) { return true }
                operand = try step(name, from: operand)
            }
            return false
        case .element(let collection, _), .subquery(let collection, _, _):
            return try isUntyped(collection, for: object)
        case .aggregate(let parts), .function(_, let parts):
            return try parts.contains { try isUntyped($0, for: object) }
        case .ternary(_, let first, let second):
            return try isUntyped(first, for: object) || isUntyped(second, for: object)
        }
    }

    /// The result of a function for an object.
    func call(
        _ function: Function,
        of arguments: [ObjectExpression],
        for object: any KeyValueObject
    ) throws -> Operand {
        let operands = try arguments.map { try operand(of: $0, for: object) }
        do {
            return try call(function, operands)
        } catch let error as EvaluationError where error.code == .wrongKind {
            guard try arguments.contains(where: { try isUntyped($0, for: object) }) else { throw error }
            guard function.isAggregate else { return .null }
            return try call(function, [.collection(arguments.flatMap { try summands(of: $0, for: object) })])
        }
    }

    /// The value at the end of a key path.
    func follow(
        _ keys: [Key],
        from root: Operand,
        of path: ObjectExpression,
        for object: any KeyValueObject
    ) throws -> Operand {
        do {
            return try follow(keys, from: 0, root)
        } catch let error as EvaluationError where error.code == .wrongKind {
            guard try isUntyped(path, for: object) else { throw error }
            return try follow(keys, from: 0, root, onlyNumbers: true)
        }
    }

    /// Runs a closure with a variable bound to typed or untyped values.
    func binding<Result>(_ variable: String, isUntyped: Bool, _ body: () throws -> Result) rethrows -> Result {
        let shadowed = variables[variable]
        let untyped = untypedVariables
        defer {
            variables[variable] = shadowed
            untypedVariables = untyped
        }
        if isUntyped { untypedVariables.insert(variable) } else { untypedVariables.remove(variable) }
        return try body()
    }

    /// The operands that an argument contributes to an aggregate: only numbers if it is untyped.
    private func summands(of argument: ObjectExpression, for object: any KeyValueObject) throws -> [Operand] {
        func fitting(_ members: [Operand], of expression: ObjectExpression) throws -> [Operand] {
            try isUntyped(expression, for: object) ? members.filter(\.isNumber) : members
        }
        if case .aggregate(let parts) = argument {
            return try parts.flatMap { try fitting([self.operand(of: $0, for: object)], of: $0) }
        }
        let operand = try self.operand(of: argument, for: object)
        return try fitting(operand.members ?? [operand], of: argument)
    }
}

extension Operand {
    var isNumber: Bool {
        if case .value(let value) = self { value.isNumber } else { false }
    }

    fileprivate func isUntyped(_ key: String) -> Bool {
        if case .object(let object) = self { object.isUntyped(key) } else { false }
    }
}

extension Value {
    /// Whether numeric functions accept the value.
    package var isNumber: Bool { Number(self) != nil }
}
