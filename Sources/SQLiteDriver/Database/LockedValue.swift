// SPDX-License-Identifier: Apache-2.0

// A value that threads share under a lock.

import Synchronization

final class LockedValue<Value: Sendable>: Sendable {
    private let current: Mutex<Value>

    init(_ value: Value) {
        current = Mutex(value)
    }

    var value: Value {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
