// SPDX-License-Identifier: Apache-2.0

// What tells when descriptors are ready and time is over, by libevent. Together with LoopEvent.swift all that sees libevent.

import CLibevent

/// The events of one thread.
///
/// Safe to use: it is made, used and freed by one thread, since nothing that holds it can be sent to another one. Events hold
/// it, so that it is freed after them.
@safe
final class EventBase {
    let pointer: OpaquePointer

    init() throws(ServerError) {
        guard let configuration = unsafe event_config_new() else { throw .exhausted }
        defer { unsafe event_config_free(configuration) }
        // No other thread touches it, so it needs no locks.
        unsafe event_config_set_flag(configuration, CInt(bitPattern: EVENT_BASE_FLAG_NOLOCK.rawValue))
        guard let base = unsafe event_base_new_with_config(configuration) else { throw .exhausted }
        unsafe pointer = base
    }

    deinit { unsafe event_base_free(pointer) }

    /// Handles events until it is stopped.
    func run() { unsafe event_base_loop(pointer, EVLOOP_NO_EXIT_ON_EMPTY) }

    /// Has `run` return once the event that is being handled is done with.
    func stop() { unsafe event_base_loopbreak(pointer) }
}
