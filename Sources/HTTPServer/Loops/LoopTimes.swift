// SPDX-License-Identifier: Apache-2.0

/// Time limits in nanoseconds, since arithmetic on `Duration` is slow.
struct LoopTimes {
    let handshake: Int
    let firstByte: Int
    let head: Int
    let idle: Int
    let body: Int
    let queue: Int
    let rateWindow: Int
    let lingering: Int
    let farewell: Int
    let tick: Int

    init(_ configuration: ServerConfiguration) {
        let limits = configuration.limits
        handshake = limits.handshake.nanoseconds
        firstByte = limits.firstByte.nanoseconds
        head = limits.head.nanoseconds
        idle = limits.idle.nanoseconds
        body = limits.bodyTime.nanoseconds
        queue = limits.queueTime.nanoseconds
        rateWindow = limits.rateWindow.nanoseconds
        lingering = limits.lingering.nanoseconds
        farewell = configuration.farewell.nanoseconds
        tick = max(1_000_000, configuration.tick.nanoseconds)
    }
}
