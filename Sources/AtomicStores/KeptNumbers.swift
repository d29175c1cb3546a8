// SPDX-License-Identifier: Apache-2.0

// The numbers that objects may keep which come from other stores.

import ObjectGraph

/// Which of the numbers up to the greatest one given were never given to an object.
///
/// 1. A number that isn't passed over was given, whatever became of the object.
/// 2. What saves have used is noted by itself: numbers are passed over while a save is done on a copy of what the store holds.
struct KeptNumbers: Sendable {
    private var passedOver = RangeSet<Int64>()
    private var used = RangeSet<Int64>()

    /// Whether an object may keep a number.
    func isFree(_ number: Int64) -> Bool { passedOver.contains(number) && !used.contains(number) }

    /// Notes that greater numbers are given than these.
    mutating func passOver(_ numbers: Range<Int64>) { passedOver.insert(contentsOf: numbers) }

    /// Takes the numbers that a save uses, or throws where one of them isn't free any more.
    mutating func use(_ request: StoreSaveRequest) throws {
        for insertion in request.insertions where insertion.keepsReference {
            guard let number = insertion.objectID.reference?.numberToKeep, isFree(number) else {
                throw GraphError.referenceGiven(insertion.objectID)
            }
            used.insert(contentsOf: number..<number + 1)
        }
    }

    /// Takes over what a save has used on a copy of these.
    mutating func adoptUses(of other: KeptNumbers) { used = other.used }
}

extension AtomicStore.Held {
    /// The numbers of new objects, some of which are to keep theirs. Those that can't get numbers above all that are to be kept.
    mutating func numbers(_ count: Int, keeping references: [Int: ManagedObjectID.Reference]) -> [Int64] {
        let wanted = references.compactMapValues(\.numberToKeep)
        let last = max(lastReference, wanted.values.max() ?? 0)
        if last > lastReference { keptNumbers.passOver(lastReference + 1..<last + 1) }
        lastReference = last
        var taken: Set<Int64> = []
        return (0..<count).map { place in
            if let number = wanted[place], keptNumbers.isFree(number), taken.insert(number).inserted { return number }
            lastReference += 1
            return lastReference
        }
    }
}
