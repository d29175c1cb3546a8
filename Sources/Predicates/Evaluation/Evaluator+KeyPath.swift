// SPDX-License-Identifier: Apache-2.0

// Key paths: nil leads to nil, and so does a key that a value doesn't have; a collection is mapped member by member, collection
// operators make one of many.

extension Evaluator {
    /// Follows a key path from the step at an index.
    ///
    /// - Parameter onlyNumbers: Whether collection operators leave out what is no number.
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
                // The whole rest is taken of each member first: `posts.@sum.comments.@count`.
                let reached = try flatMap(operand) { try follow(keys, from: index + 1, $0, onlyNumbers: onlyNumbers) }
                let members = onlyNumbers ? reached.filter(\.isNumber) : reached
                return try .value(aggregate.function.aggregate(members))
            }
        }
        return operand
    }

    /// What the steps up to the next collection operator lead to, from each member.
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

    /// What a value has under a key: nil where it has nothing of the name, since each object's value may be of another kind.
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

    /// What each member leads to, in one collection: a member's own collection is spread out, one level deep.
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
    /// The function that does the same over its arguments; the unions have none and count as what they hold.
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
