// SPDX-License-Identifier: Apache-2.0

// A thread's slot in a pool of threads, which another thread may have while this one waits.

import Glibc
import Synchronization

/// A slot of a pool that limits how many of its threads run.
///
///     pool thread: ThreadSlot(…).occupied { job() }
///                                           └─ … ThreadSlot.free(); wait; take() …
///
/// What waits needn't know of pools: on other threads, `free` has no effect.
@safe
package final class ThreadSlot: Sendable {
    private let free: @Sendable () -> Bool
    private let retake: @Sendable () -> Void
    private let isFree = Atomic(false)

    /// - Parameters:
    ///   - free: Lets another thread have the slot. False if that isn't possible.
    ///   - take: Takes the slot back, after `free` has returned true.
    package init(free: @escaping @Sendable () -> Bool, take: @escaping @Sendable () -> Void) {
        self.free = free
        retake = take
    }

    /// Runs a closure on a thread that has the slot.
    package func occupied(_ body: () -> Void) {
        unsafe pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        defer { pthread_setspecific(Self.key, nil) }
        body()
    }

    /// Lets another thread have the slot of this one, which is about to wait for other threads or for a disk. Returns the
    /// slot if `take` must be called afterwards.
    package static func free() -> ThreadSlot? {
        guard let slot = current, !slot.isFree.load(ordering: .relaxed), slot.free() else { return nil }
        slot.isFree.store(true, ordering: .relaxed)
        return slot
    }

    /// Takes a free slot back, on its thread, or on the one that ends the waiting: then threads that were woken together
    /// needn't contend for the pool. Only the first call has an effect.
    package func take() {
        if isFree.exchange(false, ordering: .relaxed) { retake() }
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
