// SPDX-License-Identifier: Apache-2.0

// Function calls. A nil argument makes the result nil, except for aggregate functions.

internal import FoundationEssentials

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

extension Evaluator {
    func call(_ function: Function, _ arguments: [Operand]) throws -> Operand {
        guard function.arity ~= arguments.count else {
            throw EvaluationError.wrongArgumentCount(arguments.count, of: function)
        }
        switch function {
        case .noIndex:
            return arguments[0]
        case .union, .intersect, .minus:
            return try combine(arguments[0], arguments[1], function)
        case _ where function.isAggregate:
            return try .value(function.aggregate(joined(arguments.map { $0.members ?? [$0] })))
        default:
            var values: [Value] = []
            for argument in arguments {
                switch argument {
                case .value(let value): values.append(value)
                case .object: throw EvaluationError.wrongKind(argument.kind, in: function.rawValue)
                case .collection: throw EvaluationError.toManyNotAllowed(in: function.rawValue)
                }
            }
            return try .value(values.contains(.null) ? .null : call(function, values))
        }
    }

    private func call(_ function: Function, _ values: [Value]) throws -> Value {
        switch function {
        case .now: return .date(now)
        case .random: return .double(Double.random(in: 0..<1, using: &random))
        case .uppercase: return try .string(text(values[0], function).uppercased())
        case .lowercase: return try .string(text(values[0], function).lowercased())
        case .canonical: return try .string(Text.canonical(text(values[0], function)))
        case .length:
            if case .data(let data) = values[0] { return .integer(Int64(data.count)) }
            return try .integer(Int64(text(values[0], function).utf16.count))
        case .add where values.allSatisfy { $0.text != nil }:
            return .string(values.compactMap(\.text).joined())
        case .add, .subtract:
            if let result = moved(values[0], values[1], function) { return result }
        default: break
        }
        let numbers = try values.map { value in
            guard let number = Number(value) else { throw EvaluationError.wrongKind(value.kind, in: function.rawValue) }
            return number
        }
        return numbers.count == 1
            ? calculate(function, numbers[0]) : calculate(function, numbers[0], numbers[1])
    }

    /// Adds seconds to a date, or subtracts two dates, which yields seconds.
    private func moved(_ left: Value, _ right: Value, _ function: Function) -> Value? {
        switch (left, right) {
        case (.date(let later), .date(let earlier)) where function == .subtract:
            return .double(later.timeIntervalSince(earlier))
        case (.date(let date), _):
            return Number(right).map { moved(date, by: function == .add ? $0.double : -$0.double) }
        case (_, .date(let date)) where function == .add:
            return Number(left).map { moved(date, by: $0.double) }
        default:
            return nil
        }
    }

    /// Null if the result isn't finite.
    private func moved(_ date: Date, by seconds: Double) -> Value {
        let moved = date.addingTimeInterval(seconds)
        return moved.timeIntervalSinceReferenceDate.isFinite ? .date(moved) : .null
    }

    private func calculate(_ function: Function, _ number: Number) -> Value {
        switch function {
        case .negate: return number.negated.value
        case .absolute: return number.magnitude.value
        case .floor: return number.rounded(.down).value
        case .ceiling: return number.rounded(.up).value
        case .truncate: return number.rounded(.towardZero).value
        case .onesComplement: return number.bits.map { .integer(~$0) } ?? .null
        case .randomBelow:
            guard let bound = number.bits, bound > 0 else { return .null }
            return .integer(Int64.random(in: 0..<bound, using: &random))
        case .squareRoot: return Number.double(number.double.squareRoot()).value
        case .exponential: return Number.double(exp(number.double)).value
        // The logarithm of a number that isn't positive is null, as in SQLite.
        case .logarithm: return number.double > 0 ? .double(log10(number.double)) : .null
        default: return number.double > 0 ? .double(log(number.double)) : .null
        }
    }

    private func calculate(_ function: Function, _ left: Number, _ right: Number) -> Value {
        switch function {
        case .add: return left.adding(right).value
        case .subtract: return left.subtracting(right).value
        case .multiply: return left.multiplied(by: right).value
        case .divide: return left.divided(by: right)?.value ?? .null
        case .modulus: return left.remainder(dividingBy: right)?.value ?? .null
        case .raise: return Number.double(pow(left.double, right.double)).value
        default: break
        }
        guard let left = left.bits, let right = right.bits else { return .null }
        switch function {
        case .bitwiseAnd: return .integer(left & right)
        case .bitwiseOr: return .integer(left | right)
        case .bitwiseXor: return .integer(left ^ right)
        // Swift's smart shifts accept any distance: overshifting yields 0 or -1, and a negative distance reverses
        // direction.
        case .leftShift: return .integer(left << right)
        default: return .integer(left >> right)
        }
    }

    private func combine(_ left: Operand, _ right: Operand, _ function: Function) throws -> Operand {
        if left.isNull || right.isNull { return .null }
        for operand in [left, right] where operand.members == nil {
            throw EvaluationError.wrongKind(operand.kind, in: function.rawValue)
        }
        let first = left.members ?? []
        let second = right.members ?? []
        switch function {
        case .union:
            return try .collection(OperandSet(joined([first, second])).members)
        case .intersect:
            let others = OperandSet(second)
            return .collection(OperandSet(first.lazy.filter(others.contains)).members)
        default:
            let others = OperandSet(second)
            return .collection(OperandSet(first.lazy.filter { !others.contains($0) }).members)
        }
    }

    private func joined(_ collections: [[Operand]]) throws -> [Operand] {
        var result: [Operand] = []
        for members in collections {
            try visit(members, besides: result.count)
            result += members
        }
        return result
    }

    private func text(_ value: Value, _ function: Function) throws -> String {
        guard let text = value.text else { throw EvaluationError.wrongKind(value.kind, in: function.rawValue) }
        return text
    }
}
