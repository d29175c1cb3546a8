// SPDX-License-Identifier: Apache-2.0

// Key paths. Nil, and a key that a value doesn't have, yield nil. A step from a collection maps its members; a
// collection operator aggregates them.

extension Evaluator {
    /// Follows a key path from the given step.
    ///
    /// - Parameter onlyNumbers: Whether collection operators skip values that aren't numbers.
    func follow(_ keys: [Key], from start: Int, _ operand: Operand, onlyNumbers: Bool = false) throws -> Operand {
        var operand = operand
        var index = start
        while index < keys.count {
            switch keys[index] {
            case .argument(let argument):
                throw EvaluationError.unsubstitutedArgument(argument)
            case .name(let name):
                operand = try step(name, from: operand)
                index += 1
            case .collection(.unionOfObjects):
                operand = try .collection(reached(by: keys, from: &index, operand))
            case .collection(.distinctUnionOfObjects):
                let members = try reached(by: keys, from: &index, operand)
                operand = .collection(OperandSet(members.lazy.filter { !$0.isNull }).members)
            case .collection(let aggregate):
                // The remaining steps apply to each member first: `posts.@sum.comments.@count`.
                let reached = try flatMap(operand) { try follow(keys, from: index + 1, $0, onlyNumbers: onlyNumbers) }
                let members = onlyNumbers ? reached.filter(\.isNumber) : reached
                return try .value(aggregate.function.aggregate(members))
            }
        }
        return operand
    }

    /// The values at the next collection operator, or at the end of the path, for each member.
    private func reached(by keys: [Key], from index: inout Int, _ operand: Operand) throws -> [Operand] {
        let first = index + 1
        index = keys[first...].firstIndex { if case .collection = $0 { true } else { false } } ?? keys.count
        let steps = Array(keys[first..<index])
        return try flatMap(operand) { try follow(steps, from: 0, $0) }
    }

    func step(_ name: String, from operand: Operand) throws -> Operand {
        if name == "self" { return operand }
        switch operand {
        case .object(let object):
            if name == "objectID" { return .value(object.reference.map(Value.reference) ?? .null) }
            guard let operand = try object.operand(forKey: name) else { throw EvaluationError.unknownKey(name) }
            return operand
        case .value(let value):
            return .value(try step(name, from: value))
        case .collection:
            return try .collection(
                flatMap(operand) { member in
                    let result = try step(name, from: member)
                    if case (.value(.array), .value(.array(let values))) = (member, result) {
                        return .collection(values.map(Operand.value))
                    }
                    return result
                }
            )
        }
    }

    /// The value under a key, or null if it has no such key, since an untyped value may be of any kind.
    private func step(_ name: String, from value: Value) throws -> Value {
        switch value {
        case .dictionary(let dictionary): return dictionary[name] ?? .null
        case .reference: return name == "objectID" ? value : .null
        case .string(let text), .uri(let text): return name == "length" ? .integer(Int64(text.utf16.count)) : .null
        case .data(let data): return name == "length" ? .integer(Int64(data.count)) : .null
        case .array(let members):
            var found: [Value] = []
            for member in members {
                try visit()
                found.append(try step(name, from: member))
            }
            return found.allSatisfy { $0 == .null } ? .null : .array(found)
        case .null, .bool, .integer, .double, .decimal, .date, .uuid: return .null
        }
    }

    /// Maps the members to one collection, flattening collections by one level.
    private func flatMap(_ operand: Operand, _ transform: (Operand) throws -> Operand) throws -> [Operand] {
        var result: [Operand] = []
        for member in operand.isNull ? [] : operand.members ?? [operand] {
            try visit()
            switch try transform(member) {
            case .collection(let members):
                try visit(members, besides: result.count)
                result += members
            case let single: result.append(single)
            }
        }
        return result
    }
}

extension CollectionOperator {
    /// The equivalent function, or `.count` for the unions, which have none.
    package var function: Function {
        switch self {
        case .count, .unionOfObjects, .distinctUnionOfObjects: .count
        case .sum: .sum
        case .minimum: .minimum
        case .maximum: .maximum
        case .average: .average
        }
    }
}
