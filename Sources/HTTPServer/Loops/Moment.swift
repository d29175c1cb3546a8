// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A time of the monotonic clock.
struct Moment: Comparable, Sendable {
    var nanoseconds: Int

    static let never = Moment(nanoseconds: .max)

    static var now: Moment {
        var time = timespec()
        // The structure outlives the call.
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(nanoseconds: time.tv_sec &* 1_000_000_000 &+ time.tv_nsec)
    }

    static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Adds nanoseconds; `.never` on overflow.
    static func + (moment: Moment, interval: Int) -> Moment {
        let (sum, overflows) = moment.nanoseconds.addingReportingOverflow(interval)
        return overflows ? .never : Moment(nanoseconds: sum)
    }

    func duration(since earlier: Moment) -> Duration { .nanoseconds(nanoseconds &- earlier.nanoseconds) }
}

extension Duration {
    /// The duration in nanoseconds, clamped.
    var nanoseconds: Int {
        let (seconds, attoseconds) = components
        let (product, overflows) = Int(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflows ? .max : product.addingReportingOverflow(Int(attoseconds / 1_000_000_000)).partialValue
    }
}
