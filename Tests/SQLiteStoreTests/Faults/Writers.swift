// SPDX-License-Identifier: Apache-2.0

// Several concurrent writers.

import Dispatch
import Synchronization

enum Writers {
    /// Lets each writer make so many attempts on its own thread, ignoring failures, and returns each writer's last
    /// number.
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
