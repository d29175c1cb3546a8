// SPDX-License-Identifier: Apache-2.0

// A counter.

import Synchronization

/// A number that several threads increase.
final class Count: Sendable {
    private let number: Mutex<Int>

    init(_ number: Int = 0) { self.number = Mutex(number) }

    var value: Int { number.withLock { $0 } }

    func add(_ count: Int) { number.withLock { $0 += count } }
}
