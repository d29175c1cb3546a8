// SPDX-License-Identifier: Apache-2.0

// The numbers that objects of other stores may keep.

import ObjectGraph

/// The unused numbers below the largest one that was given to an object.
///
/// 1. A number that wasn't skipped was given to an object, even if that was deleted since.
/// 2. Uses are recorded separately from skips, because numbers are skipped while a save is applied to a copy of the
///    state.
struct NumberUsage: Sendable {
    private var skipped = RangeSet<Int64>()
    private var used = RangeSet<Int64>()

    /// Whether an object may keep a number.
    func isFree(_ number: Int64) -> Bool { skipped.contains(number) && !used.contains(number) }

    /// Records that these numbers were skipped.
    mutating func skipNumbers(_ numbers: Range<Int64>) { skipped.insert(contentsOf: numbers) }

    /// Uses the numbers of a save. Throws if one of them isn't free any more.
    mutating func use(_ request: StoreSaveRequest) throws {
        for insertion in request.insertions where insertion.keepsReference {
            guard let number = insertion.objectID.reference?.numberToKeep, isFree(number) else {
                throw GraphError.referenceAssigned(insertion.objectID)
            }
            used.insert(contentsOf: number..<number + 1)
        }
    }

    /// Takes over the numbers that a save has used in a copy.
    mutating func adoptUses(of other: NumberUsage) { used = other.used }
}

extension AtomicStore.MemoryState {
    /// The numbers of new objects, some of which should keep theirs. The others get numbers above all of these.
    mutating func numbers(_ count: Int, keeping references: [Int: ManagedObjectID.Reference]) -> [Int64] {
        let wanted = references.compactMapValues(\.numberToKeep)
        let last = max(lastReference, wanted.values.max() ?? 0)
        if last > lastReference { numberUsage.skipNumbers(lastReference + 1..<last + 1) }
        lastReference = last
        var taken: Set<Int64> = []
        return (0..<count).map { place in
            if let number = wanted[place], numberUsage.isFree(number), taken.insert(number).inserted { return number }
            lastReference += 1
            return lastReference
        }
    }
}
