// SPDX-License-Identifier: Apache-2.0

// Aggregate functions. They skip nil. Without values, the sum and the count are 0 and the others nil.

internal import FoundationEssentials

extension Function {
    /// Whether the function aggregates the members of its arguments.
    var isAggregate: Bool {
        switch self {
        case .sum, .count, .minimum, .maximum, .average, .median, .mode, .standardDeviation: true
        default: false
        }
    }

    /// The result of an aggregate function.
    func aggregate(_ members: [Operand]) throws(EvaluationError) -> Value {
        let members = members.filter { !$0.isNull }
        if self == .count { return .integer(Int64(members.count)) }
        var values: [Value] = []
        for member in members {
            guard case .value(let value) = member else { throw .wrongKind(member.kind, in: rawValue) }
            values.append(value)
        }
        switch self {
        case .minimum: return values.min { $0.sortOrder(to: $1) == .orderedAscending } ?? .null
        case .maximum: return values.max { $0.sortOrder(to: $1) == .orderedAscending } ?? .null
        case .mode: return Self.mode(values)
        default: break
        }
        var numbers: [Number] = []
        for value in values {
            guard let number = Number(value) else { throw .wrongKind(value.kind, in: rawValue) }
            numbers.append(number)
        }
        if self == .sum { return Self.sum(numbers).value }
        if numbers.isEmpty { return .null }
        switch self {
        case .average: return Self.mean(numbers)
        case .median: return Self.median(numbers)
        default: return Self.standardDeviation(numbers.map(\.double))
        }
    }

    private static func sum(_ numbers: some Sequence<Number>) -> Number {
        numbers.reduce(.integer(0)) { $0.adding($1) }
    }

    /// Unlike the quotient, the mean of integers is a double.
    private static func mean(_ numbers: some Collection<Number>) -> Value {
        let sum = sum(numbers)
        if case .integer(let integer) = sum { return .double(Double(integer) / Double(numbers.count)) }
        return sum.divided(by: .integer(Int64(numbers.count)))?.value ?? .null
    }

    private static func median(_ numbers: [Number]) -> Value {
        let sorted = numbers.sorted { $0.value.sortOrder(to: $1.value) == .orderedAscending }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? mean(sorted[middle - 1...middle]) : sorted[middle].value
    }

    /// The most frequent value; the least one in a tie.
    private static func mode(_ values: [Value]) -> Value {
        let sorted = values.sorted { $0.sortOrder(to: $1) == .orderedAscending }
        var best: (value: Value, count: Int) = (.null, 0)
        var start = 0
        for index in sorted.indices {
            if sorted[index].sortOrder(to: sorted[start]) != .orderedSame { start = index }
            if index - start + 1 > best.count { best = (sorted[start], index - start + 1) }
        }
        return best.value
    }

    /// The standard deviation of the population, not of a sample.
    private static func standardDeviation(_ numbers: [Double]) -> Value {
        let mean = numbers.reduce(0, +) / Double(numbers.count)
        let variance = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(numbers.count)
        return Number.double(variance.squareRoot()).value
    }
}
