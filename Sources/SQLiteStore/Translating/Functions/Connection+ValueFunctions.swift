// SPDX-License-Identifier: Apache-2.0

// Functions that compute, compare and sort values like the evaluator. Arguments for types are letters of `Term.Kind`.

import FoundationEssentials
import Predicates
import SQLiteDriver

extension Connection {
    func defineValueFunctions() throws {
        try define(function: "outcrop_order", arguments: 2) { arguments in
            let left = arguments.number(0)
            let right = arguments.number(1)
            guard left != .null, right != .null, let order = left.order(to: right) else { return .null }
            return .integer(Int64(order.rawValue))
        }
        try define(function: "outcrop_sort_key", arguments: 1) { arguments in
            arguments.isNull(0) ? .null : .text(DecimalSortKey(arguments.number(0)).text)
        }
        let evaluator = Evaluator(now: .distantPast)
        try define(function: "outcrop_call", arguments: nil) { arguments in
            let function = try arguments.function(0)
            let kinds = Array(arguments.string(1))
            let operands = (2..<arguments.count).map { place in
                ObjectExpression.constant(arguments.value(place, of: kinds[place - 2]))
            }
            return try evaluator.result(.function(function, operands))
        }
        try define(function: "outcrop_cast", arguments: 3) { arguments in
            guard let type = CastType(rawValue: arguments.string(0)), let kind = arguments.string(1).first else {
                return .null
            }
            return arguments.value(2, of: kind).cast(to: type).result
        }
        try define(function: "outcrop_double", arguments: 1) {
            .real(Double(bitPattern: UInt64(bitPattern: $0.int64(0))))
        }
        try define(function: "outcrop_text", arguments: 1) { .text(String(decoding: $0.hexadecimal(0), as: UTF8.self)) }
        try define(function: "outcrop_bytes", arguments: 1) { .blob($0.hexadecimal(0)) }
        try defineAggregate("outcrop_aggregate", nil, evaluator)
        try defineAggregate("outcrop_sum", .sum, evaluator)
    }

    private func defineAggregate(_ name: String, _ function: Predicates.Function?, _ evaluator: Evaluator) throws {
        try defineAggregate(name, arguments: nil) {
            Aggregated(function: function)
        } step: { state, arguments in
            if state.function == nil { state.function = try arguments.function(0) }
            guard !arguments.isNull(2), let kind = arguments.string(1).first else { return }
            let place = (3..<arguments.count).map { arguments.int64($0) }
            state.values.append((arguments.value(2, of: kind), place))
        } result: { state in
            guard let function = state.function else { return .null }
            let values = state.values.sorted { $0.place.lexicographicallyPrecedes($1.place) }.map(\.value)
            return try evaluator.result(.function(function, [.constant(.array(values))]))
        }
    }
}

/// The values of an aggregate, each with its position in their order.
private struct Aggregated {
    var function: Predicates.Function?
    var values: [(value: Value, place: [Int64])] = []
}

extension FunctionArguments {
    fileprivate func number(_ index: Int) -> Value { Term.Kind.anyNumber.value(value(index)) }

    fileprivate func value(_ index: Int, of kind: Character) -> Value {
        (Term.Kind(rawValue: kind) ?? .null).value(value(index))
    }

    fileprivate func function(_ index: Int) throws -> Predicates.Function {
        guard let function = Predicates.Function(rawValue: string(index)) else {
            throw StoreError(.database, "There is no function \(string(index)).")
        }
        return function
    }

    fileprivate func hexadecimal(_ index: Int) -> [UInt8] {
        func digit(_ byte: UInt8) -> UInt8 { byte >= UInt8(ascii: "a") ? byte - 87 : byte - 48 }
        let digits = bytes(index)
        return stride(from: 0, to: digits.count - 1, by: 2).map { digit(digits[$0]) << 4 | digit(digits[$0 + 1]) }
    }
}

extension Evaluator {
    fileprivate func result(_ expression: ObjectExpression) throws -> SQLValue {
        guard case .value(let value) = try operand(of: expression, for: ConstantContext()) else { return .null }
        return value.result
    }
}

extension Value {
    /// The value in the form of `Term.Kind.anyNumber`, where a decimal is always a blob of digits.
    fileprivate var result: SQLValue {
        if case .decimal(let number) = self { return .blob([UInt8](number.description.utf8)) }
        return Term.Kind.stored(self)?.1 ?? .null
    }
}
