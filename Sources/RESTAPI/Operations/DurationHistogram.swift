// SPDX-License-Identifier: Apache-2.0

// How long something took, many times over, in little memory.

/// Durations, of which quantiles are known to within an eighth.
struct DurationHistogram: Sendable {
    private(set) var count = 0
    private(set) var total = Duration.zero
    private(set) var minimum = Duration.zero
    private(set) var maximum = Duration.zero
    /// How many are in each eighth of each power of two of nanoseconds. All below a microsecond are in the first.
    private var buckets = [UInt64](repeating: 0, count: 1 + powers.count * 8)

    private static let powers = 10..<42

    mutating func add(_ duration: Duration) {
        minimum = count == 0 ? duration : min(minimum, duration)
        maximum = max(maximum, duration)
        count += 1
        total += duration
        buckets[Self.bucket(of: duration)] += 1
    }

    var average: Duration { count == 0 ? .zero : total / count }

    /// What so large a part of all durations, from 0 to 1, don't exceed.
    func quantile(_ part: Double) -> Duration {
        let wanted = max(1, UInt64((Double(count) * part).rounded(.up)))
        var passed: UInt64 = 0
        for (bucket, number) in buckets.enumerated() {
            passed += number
            if passed >= wanted, bucket + 1 < buckets.count { return min(max(Self.end(of: bucket), minimum), maximum) }
        }
        return maximum
    }

    private static func bucket(of duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        guard seconds < 1 << 12 else { return powers.count * 8 }
        let nanoseconds = UInt64(max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
        let power = 63 - nanoseconds.leadingZeroBitCount
        guard power >= powers.lowerBound else { return 0 }
        return min(1 + (power - powers.lowerBound) * 8 + Int(nanoseconds >> (power - 3) & 7), powers.count * 8)
    }

    private static func end(of bucket: Int) -> Duration {
        guard bucket > 0 else { return .nanoseconds(Int64(1) << powers.lowerBound) }
        let (power, eighth) = (bucket - 1).quotientAndRemainder(dividingBy: 8)
        return .nanoseconds(Int64(9 + eighth) << (power + powers.lowerBound - 3))
    }
}

extension Duration {
    /// As a number for people and their tools.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    var milliseconds: Double { seconds * 1e3 }
}
