// SPDX-License-Identifier: Apache-2.0

// A set of operands, equal as `==` has it, in the order in which they came.

/// The distinct ones among operands, found by hashing.
struct OperandSet {
    private(set) var members: [Operand] = []
    private var buckets: [Bucket: [Int]] = [:]
    private let options: Comparison.Options

    /// What equal operands share. Operands that share it need not be equal.
    private enum Bucket: Hashable {
        case value(Value)
        case number(Double)
        case instance(ObjectIdentifier)
        case other
    }

    init(_ operands: some Sequence<Operand> = [], _ options: Comparison.Options = []) {
        self.options = options
        for operand in operands { insert(operand) }
    }

    func contains(_ operand: Operand) -> Bool {
        buckets[bucket(of: operand)]?.contains { members[$0].isEqual(to: operand, options) } == true
    }

    mutating func insert(_ operand: Operand) {
        let bucket = bucket(of: operand)
        if buckets[bucket]?.contains(where: { members[$0].isEqual(to: operand, options) }) == true { return }
        buckets[bucket, default: []].append(members.count)
        members.append(operand)
    }

    private func bucket(of operand: Operand) -> Bucket {
        switch operand {
        case .value(let value):
            if let number = Number(value) { return .number(number.double) }
            if let text = value.text { return .value(.string(Text.folded(text, options))) }
            switch value {
            case .array, .dictionary: return .other
            default: return .value(value)
            }
        case .object(let object):
            if let reference = object.reference { return .value(.reference(reference)) }
            return object.instance.map(Bucket.instance) ?? .other
        case .collection:
            return .other
        }
    }
}
