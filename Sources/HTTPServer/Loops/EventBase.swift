// SPDX-License-Identifier: Apache-2.0

// Events for ready descriptors and timers. Only this file and LoopEvent.swift use libevent.

import CLibevent

/// The events of one thread.
///
/// Safe to use: created, used and freed on one thread, since its owners aren't Sendable. Events retain it, so it is
/// freed after them.
@safe
final class EventBase {
    let pointer: OpaquePointer

    init() throws(ServerError) {
        guard let configuration = unsafe event_config_new() else { throw .exhausted }
        defer { unsafe event_config_free(configuration) }
        // Used by one thread only, so it needs no locks.
        unsafe event_config_set_flag(configuration, CInt(bitPattern: EVENT_BASE_FLAG_NOLOCK.rawValue))
        guard let base = unsafe event_base_new_with_config(configuration) else { throw .exhausted }
        unsafe pointer = base
    }

    deinit { unsafe event_base_free(pointer) }

    /// Handles events until it is stopped.
    func run() { unsafe event_base_loop(pointer, EVLOOP_NO_EXIT_ON_EMPTY) }

    /// Makes `run` return after the current event.
    func stop() { unsafe event_base_loopbreak(pointer) }
}
