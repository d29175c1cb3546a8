// SPDX-License-Identifier: Apache-2.0

// Values of any kind, as transformable attributes have them: what a function can't take of these is nil, and left out where it takes
// many together.

extension Evaluator {
    /// Whether an expression's values come from where they may be of any kind.
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

    /// What a function gives for the object.
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

    /// What a key path leads to.
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

    /// Runs a closure for which a variable's values are of any kind, or aren't.
    func binding<Result>(_ variable: String, isUntyped: Bool, _ body: () throws -> Result) rethrows -> Result {
        let (shadowed, untyped) = (variables[variable], untypedVariables)
        defer {
            variables[variable] = shadowed
            untypedVariables = untyped
        }
        if isUntyped { untypedVariables.insert(variable) } else { untypedVariables.remove(variable) }
        return try body()
    }

    /// What an aggregate function takes of an argument: of values of any kind the numbers.
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
    /// Whether functions of numbers take it.
    package var isNumber: Bool { Number(self) != nil }
}
