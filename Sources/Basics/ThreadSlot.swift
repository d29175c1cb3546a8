// SPDX-License-Identifier: Apache-2.0

// A thread's slot in a pool of threads, which another thread may have while this one waits.

import Glibc

/// A slot of a pool that limits how many of its threads run.
///
///     pool thread: ThreadSlot(…).occupied { job() }
///                                           └─ … ThreadSlot.freed { wait } …
///
/// What waits needn't know of pools: on other threads, `freed` has no effect.
@safe
package final class ThreadSlot: Sendable {
    private let free: @Sendable () -> Bool
    private let take: @Sendable () -> Void

    /// - Parameters:
    ///   - free: Lets another thread have the slot. False if that isn't possible.
    ///   - take: Takes the slot back, after `free` has returned true.
    package init(free: @escaping @Sendable () -> Bool, take: @escaping @Sendable () -> Void) {
        self.free = free
        self.take = take
    }

    /// Runs a closure on a thread that has the slot.
    package func occupied(_ body: () -> Void) {
        unsafe pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        defer { pthread_setspecific(Self.key, nil) }
        body()
    }

    /// Runs a closure that waits for other threads or for a disk. Meanwhile another thread may have the slot.
    package static func freed<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let slot = current, slot.free() else { return try body() }
        defer { slot.take() }
        return try body()
    }

    /// Not a task-local value, since tasks would inherit it.
    private static let key = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, nil)
        return key
    }()

    // The thread that occupies the slot retains it.
    private static var current: ThreadSlot? {
        unsafe pthread_getspecific(key).map { unsafe Unmanaged<ThreadSlot>.fromOpaque($0).takeUnretainedValue() }
    }
}
