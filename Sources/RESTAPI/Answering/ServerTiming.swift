// SPDX-License-Identifier: Apache-2.0

// The duration of each step to a response.

/// The content of the `Server-Timing` field, in milliseconds.
struct ServerTiming {
    enum Step: String {
        case parse
        case plan
        case execute
        case render
    }

    let start = ContinuousClock.now
    private var latest: ContinuousClock.Instant
    private var steps: [(step: Step, duration: Duration)] = []

    init() { latest = start }

    /// Records the end of a step, which began at the end of the previous one.
    mutating func end(_ step: Step) {
        let now = ContinuousClock.now
        steps.append((step, now - latest))
        latest = now
    }

    /// `parse;dur=0.021, plan;dur=0.004, execute;dur=0.113, render;dur=0.030, total;dur=0.170`
    var text: String {
        let all = steps.map { "\($0.step.rawValue);dur=\(Self.milliseconds($0.duration)), " }.joined()
        return all + Self.total(since: start)
    }

    /// The only entry for a response from memory. It is short enough for a string without allocation.
    static func total(since start: ContinuousClock.Instant) -> String {
        "total;dur=\(milliseconds(ContinuousClock.now - start))"
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let (whole, part) = microseconds.quotientAndRemainder(dividingBy: 1000)
        return part < 10 ? "\(whole).00\(part)" : part < 100 ? "\(whole).0\(part)" : "\(whole).\(part)"
    }
}
