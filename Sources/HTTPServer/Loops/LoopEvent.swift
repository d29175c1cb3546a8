// SPDX-License-Identifier: Apache-2.0

import CLibevent
import Glibc

/// An event for a readable or writable descriptor or a timer, repeated until it is stopped.
///
/// Safe to use: libevent refers to the object until the event is freed in deinit. The object is retained while its
/// handler runs.
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
        // Created first and assigned later, since the callback needs the initialised object.
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
