// SPDX-License-Identifier: Apache-2.0

// Look-up by property name and entity, with inheritance.

/// Values by property name and entity.
///
/// An entity's index directly precedes those of its subentities, so a property belongs to a range of indices. No entity
/// redeclares an inherited name: the ranges of one name don't overlap.
struct PropertyNames<Value: Sendable>: Sendable {
    private struct Declaration {
        let kinds: Range<Int>
        let value: Value
    }

    private var declarations: [String: [Declaration]] = [:]

    /// Adds a value. The entities of one name are added in order.
    ///
    /// - Parameter kinds: The indices of the declaring entity and its subentities.
    mutating func add(_ value: Value, named name: String, in kinds: Range<Int>) {
        declarations[name, default: []].append(Declaration(kinds: kinds, value: value))
    }

    subscript(name: String, ofEntityAt place: Int) -> Value? {
        guard let all = declarations[name] else { return nil }
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            if all[middle].kinds.lowerBound <= place { low = middle + 1 } else { high = middle }
        }
        guard low > 0, all[low - 1].kinds.contains(place) else { return nil }
        return all[low - 1].value
    }
}
