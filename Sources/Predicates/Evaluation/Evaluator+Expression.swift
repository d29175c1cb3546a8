// SPDX-License-Identifier: Apache-2.0

extension Evaluator {
    /// The result of the expression for an object.
    public func operand(of expression: ObjectExpression, for object: any KeyValueObject) throws -> Operand {
        switch expression {
        case .constant(let value):
            return .value(value)
        case .evaluatedObject:
            return .object(object)
        case .variable(let name):
            guard let operand = variables[name] else { throw EvaluationError.unboundVariable(name) }
            return operand
        case .argument(let argument):
            throw EvaluationError.unsubstitutedArgument(argument.index)
        case .keyPath(of: .evaluatedObject, let keys):
            return try follow(keys, from: .object(object), of: expression, for: object)
        case .keyPath(let root, let keys):
            return try nested { try follow(keys, from: operand(of: root, for: object), of: expression, for: object) }
        case .element(let collection, let index):
            return try nested { try element(index, of: operand(of: collection, for: object), for: object) }
        case .aggregate(let expressions):
            return try nested { try .collection(expressions.map { try operand(of: $0, for: object) }) }
        case .function(let function, let arguments):
            return try nested { try call(function, of: arguments, for: object) }
        case .cast(let expression, let type):
            return try nested { try cast(operand(of: expression, for: object), to: type) }
        case .ternary(let condition, let first, let second):
            return try nested { try operand(of: matches(condition, object) ? first : second, for: object) }
        case .subquery(let collection, let variable, let condition):
            return try nested {
                let members = try operand(of: collection, for: object)
                // Objects know which of their values are untyped; other members depend on the collection.
                var isUntyped = false
                if case .value? = members.members?.first { isUntyped = try self.isUntyped(collection, for: object) }
                return try binding(variable, isUntyped: isUntyped) {
                    try .collection(self.members(of: members, binding: variable, where: condition, for: object))
                }
            }
        }
    }

    /// The members that satisfy a condition; none if the operand isn't a list. `SELF` in the condition remains the
    /// object that the predicate is evaluated for.
    private func members(
        of collection: Operand,
        binding variable: String,
        where condition: ObjectPredicate,
        for object: any KeyValueObject
    ) throws -> [Operand] {
        if case .object = collection { throw EvaluationError.wrongKind(collection.kind, in: "SUBQUERY") }
        guard let members = collection.members else { return [] }
        return try members.filter { member in
            try visit()
            variables[variable] = member
            return try matches(condition, object)
        }
    }

    private func element(
        _ index: ElementIndex,
        of collection: Operand,
        for object: any KeyValueObject
    ) throws -> Operand {
        if case .value(.dictionary(let dictionary)) = collection, case .at(let expression) = index {
            guard case .value(.string(let key)) = try operand(of: expression, for: object) else { return .null }
            return .value(dictionary[key] ?? .null)
        }
        if case .object = collection { throw EvaluationError.wrongKind(collection.kind, in: "an index") }
        let members = collection.members ?? []
        switch index {
        case .first: return members.first ?? .null
        case .last: return members.last ?? .null
        case .size: return .value(.integer(Int64(members.count)))
        case .at(let expression):
            guard case .value(let value) = try operand(of: expression, for: object),
                case .integer(let place)? = Number(value), let place = Int(exactly: place), members.indices ~= place
            else { return .null }
            return members[place]
        }
    }

    private func cast(_ operand: Operand, to type: CastType) throws -> Operand {
        switch operand {
        case .value(let value): return .value(value.cast(to: type))
        case .object(let object): return .value(object.reference.map(Value.reference)?.cast(to: type) ?? .null)
        case .collection: throw EvaluationError.toManyNotAllowed(in: "CAST")
        }
    }
}
