// SPDX-License-Identifier: Apache-2.0

// What stands for the names of properties, looked up by an entity that has or inherits them.

/// Values by the names of properties and the entities that have these.
///
/// An entity's place comes directly before those of the entities below it, so that a property belongs to a range of places. No entity
/// declares a name that it inherits: the ranges of one name don't overlap.
struct PropertyNames<Value: Sendable>: Sendable {
    private struct Declaration {
        let kinds: Range<Int>
        let value: Value
    }

    private var declarations: [String: [Declaration]] = [:]

    /// Adds a value. The entities of one name come in their order.
    ///
    /// - Parameter kinds: The places of the entity that declares the name and of all below it.
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
