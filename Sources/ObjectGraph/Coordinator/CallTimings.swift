// SPDX-License-Identifier: Apache-2.0

// Durations of calls as a histogram of constant size.

/// The durations of calls of one kind: their number, sum, and distribution.
public struct CallTimings: Hashable, Sendable {
    public private(set) var count = 0
    /// The number of rows, objects or owners that the calls were for.
    public private(set) var objects = 0
    public private(set) var total = Duration.zero
    /// Nil before the first call.
    public private(set) var minimum: Duration?
    public private(set) var maximum: Duration?
    /// The number of calls by duration, in eight buckets for each doubling of nanoseconds.
    private var buckets: [UInt32] = []

    public init() {}

    public var average: Duration? { count == 0 ? nil : total / count }

    /// An upper bound for the duration of a fraction of the calls, such as 0.5 or 0.99, to within an eighth; nil before
    /// the first call.
    public func quantile(_ part: Double) -> Duration? {
        guard let minimum, let maximum else { return nil }
        let wanted = max(1, (part * Double(count)).rounded(.up))
        var seen = 0.0
        for (bucket, calls) in buckets.enumerated() {
            seen += Double(calls)
            if bucket < Self.bucketCount - 1, seen >= wanted {
                return min(max(.nanoseconds(Self.end(of: bucket)), minimum), maximum)
            }
        }
        return maximum
    }

    public mutating func add(_ time: Duration, objects: Int = 0) {
        count += 1
        self.objects += objects
        total += time
        minimum = min(minimum ?? time, time)
        maximum = max(maximum ?? time, time)
        if buckets.isEmpty { buckets = Array(repeating: 0, count: Self.bucketCount) }
        let (seconds, attoseconds) = time.components
        let nanoseconds = seconds >= 1_000 ? Int64.max : seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        buckets[Self.bucket(of: nanoseconds)] &+= 1
    }

    /// The first eight are of a nanosecond each; the last one has all durations from about a thousand seconds.
    private static let bucketCount = 8 + 8 * 38

    static func bucket(of nanoseconds: Int64) -> Int {
        guard nanoseconds >= 8 else { return Int(max(nanoseconds, 0)) }
        let exponent = 63 - nanoseconds.leadingZeroBitCount
        let step = Int(nanoseconds >> (exponent - 3)) & 7
        return min(8 * (exponent - 2) + step, bucketCount - 1)
    }

    /// The longest duration of a bucket.
    static func end(of bucket: Int) -> Int64 {
        guard bucket >= 8 else { return Int64(bucket) }
        let exponent = bucket / 8 + 2
        let step = Int64(bucket % 8)
        return ((8 + step + 1) << (exponent - 3)) - 1
    }
}
