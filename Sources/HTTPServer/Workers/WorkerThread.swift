// SPDX-License-Identifier: Apache-2.0

import CLibevent
import Glibc

/// A thread that runs one closure. Signals are blocked in it.
///
/// Safe to use: the thread releases the box with the closure, and its owner joins or detaches the thread once.
@safe
struct WorkerThread: Sendable {
    private let thread: pthread_t

    private final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    init(_ name: String, _ body: @escaping @Sendable () -> Void) throws(ServerError) {
        var all = sigset_t()
        var previous = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &previous)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }
        let box = unsafe Unmanaged.passRetained(Box(body))
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread,
            nil,
            { context in
                if let context = unsafe context { unsafe Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            },
            box.toOpaque()
        )
        guard result == 0 else {
            unsafe box.release()
            throw .exhausted
        }
        unsafe pthread_setname_np(thread, name)
        self.thread = thread
    }

    /// Waits for the thread's end.
    func join() { pthread_join(thread, nil) }

    /// Lets the thread continue without an owner.
    func detach() { pthread_detach(thread) }
}
