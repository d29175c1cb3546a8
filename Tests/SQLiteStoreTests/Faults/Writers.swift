// SPDX-License-Identifier: Apache-2.0

// Several writers at once.

import Dispatch
import Synchronization

enum Writers {
    /// Lets each writer try so often on a thread of its own, whatever fails, and tells the last number that each was given.
    static func run(_ count: Int, attempts: Int, _ save: @escaping @Sendable (Int) throws -> Int) -> [Int: Int] {
        let last = Last()
        let group = DispatchGroup()
        for writer in 0..<count {
            DispatchQueue(label: "writer \(writer)").async(group: group) {
                for _ in 0..<attempts {
                    if let number = try? save(writer) { last.numbers.withLock { $0[writer] = number } }
                }
            }
        }
        group.wait()
        return last.numbers.withLock { $0 }
    }

    private final class Last: Sendable {
        let numbers = Mutex<[Int: Int]>([:])
    }
}
