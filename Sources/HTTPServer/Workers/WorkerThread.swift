// SPDX-License-Identifier: Apache-2.0

// Threads.

import CLibevent
import Glibc

/// A thread that runs one closure. Signals are left to the threads that the program has besides.
///
/// Safe to use: the closure is handed over in a box that the thread releases, and a thread is joined or let go once, by whoever
/// owns it.
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

    /// Waits for its end.
    func join() { pthread_join(thread, nil) }

    /// Lets it go on alone.
    func detach() { pthread_detach(thread) }
}
