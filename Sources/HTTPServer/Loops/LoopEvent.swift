// SPDX-License-Identifier: Apache-2.0

// One thing that a loop waits for.

import CLibevent
import Glibc

/// A descriptor that becomes readable or writable, or a span of time, again and again until it is stopped.
///
/// Safe to use: libevent knows it by its address until it is freed, which is when this object goes; an object that goes while it
/// is being handled is held until that is over.
@safe
final class LoopEvent {
    enum Kind {
        case readable(CInt)
        case writable(CInt)
        case timer
    }

    private let event: OpaquePointer
    private let base: EventBase
    private let handler: () -> Void
    private var isWaiting = false

    init?(_ kind: Kind, on base: EventBase, _ handler: @escaping () -> Void) {
        let (descriptor, flags): (CInt, CInt) =
            switch kind {
            case .readable(let descriptor): (descriptor, EV_READ | EV_PERSIST)
            case .writable(let descriptor): (descriptor, EV_WRITE | EV_PERSIST)
            case .timer: (-1, EV_PERSIST)
            }
        // Made first and set afterwards, since it is told of the object that has it.
        guard let event = unsafe event_new(base.pointer, -1, 0, { _, _, _ in }, nil) else { return nil }
        unsafe self.event = event
        self.base = base
        self.handler = handler
        unsafe event_assign(
            event,
            base.pointer,
            descriptor,
            Int16(flags),
            { _, _, context in
                guard let context = unsafe context else { return }
                let event = unsafe Unmanaged<LoopEvent>.fromOpaque(context).takeUnretainedValue()
                withExtendedLifetime(event) { event.handler() }
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    deinit { unsafe event_free(event) }

    func start() {
        guard !isWaiting else { return }
        isWaiting = unsafe event_add(event, nil) == 0
    }

    /// Starts a timer.
    func start(every nanoseconds: Int) {
        guard !isWaiting else { return }
        var interval = timeval(tv_sec: nanoseconds / 1_000_000_000, tv_usec: nanoseconds % 1_000_000_000 / 1_000)
        isWaiting = unsafe event_add(event, &interval) == 0
    }

    func stop() {
        guard isWaiting else { return }
        unsafe event_del(event)
        isWaiting = false
    }
}
