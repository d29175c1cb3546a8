// SPDX-License-Identifier: Apache-2.0

/// The distinct operands, in order of insertion. Equality is that of `==` in predicates.
struct OperandSet {
    private(set) var members: [Operand] = []
    private var buckets: [Bucket: [Int]] = [:]
    private let options: Comparison.Options

    /// The hash key of operands. Equal operands have equal buckets, but not vice versa.
    private indirect enum Bucket: Hashable {
        case value(Value)
        case number(Double)
        case instance(ObjectIdentifier)
        case list([Bucket])
        case dictionary([String: Bucket])
    }

    init(_ operands: some Sequence<Operand> = [], _ options: Comparison.Options = []) {
        self.options = options
        for operand in operands { insert(operand) }
    }

    func contains(_ operand: Operand) -> Bool {
        guard let bucket = bucket(of: operand) else { return false }
        return buckets[bucket]?.contains { members[$0].isEqual(to: operand, options) } == true
    }

    mutating func insert(_ operand: Operand) {
        if contains(operand) { return }
        if let bucket = bucket(of: operand) { buckets[bucket, default: []].append(members.count) }
        members.append(operand)
    }

    /// The bucket of an operand, or nil for an object without identity, which equals nothing.
    private func bucket(of operand: Operand) -> Bucket? {
        switch operand {
        case .value(let value):
            return bucket(of: value)
        case .object(let object):
            if let reference = object.reference { return .value(.reference(reference)) }
            return object.instance.map(Bucket.instance)
        case .collection(let members):
            let buckets = members.compactMap(bucket)
            return buckets.count == members.count ? .list(buckets) : nil
        }
    }

    private func bucket(of value: Value) -> Bucket {
        if let number = Number(value) { return .number(number.double) }
        if let text = value.text { return .value(.string(Text.folded(text, options))) }
        switch value {
        case .array(let values): return .list(values.map(bucket))
        case .dictionary(let values): return .dictionary(values.mapValues(bucket))
        default: return .value(value)
        }
    }
}
