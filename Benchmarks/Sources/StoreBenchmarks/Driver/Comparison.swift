// SPDX-License-Identifier: Apache-2.0

// What is compared with what, and what ought to come of it.

/// One workload as one program does it.
struct Job {
    enum Program { case ours, ceiling }

    let program: Program
    let workload: String
    let world: WorldSize
    /// Whether it works on a copy, since it writes.
    var writes = false
    /// Whether every sync takes 2 ms longer.
    var isDelayed = false
    var arguments: [String: Int] = [:]
}

/// Two jobs that are done in turn.
struct Comparison {
    enum Target {
        /// So many times as fast as the other one.
        case atLeast(Double)
        /// Taking so many times as long as the other one.
        case atMost(Double)

        var bound: Double {
            switch self {
            case .atLeast(let bound), .atMost(let bound): bound
            }
        }

        func isMet(by ratio: Double) -> Bool {
            switch self {
            case .atLeast(let bound): ratio >= bound
            case .atMost(let bound): ratio <= bound
            }
        }

        var text: String {
            switch self {
            case .atLeast(let bound): "≥ \(bound)"
            case .atMost(let bound): "≤ \(bound)"
            }
        }
    }

    var name: String
    var target: Target
    var ours: Job
    var other: Job
    var rounds = 5
}

/// What a run has said of itself.
struct Figures {
    private let values: [String: Double]

    init(parsing text: String) throws {
        let pairs = text.split(whereSeparator: \.isWhitespace).compactMap { word -> (String, Double)? in
            let parts = word.split(separator: "=")
            guard parts.count == 2, let value = Double(parts[1]) else { return nil }
            return (String(parts[0]), value)
        }
        values = Dictionary(pairs) { _, last in last }
        guard operations > 0, seconds > 0 else { throw BenchError("A run has said nothing of itself: \(text)") }
    }

    var operations: Double { values["operations"] ?? 0 }
    private var seconds: Double { values["seconds"] ?? 0 }

    /// Seconds for each operation.
    var time: Double { seconds / operations }
    var cpu: Double { (values["cpu"] ?? 0) / operations }
    var p50: Double? { values["p50"] }
    var p99: Double? { values["p99"] }
    /// What the run has needed at most beyond what it had at its beginning, in MiB.
    var memory: Double { ((values["peak"] ?? 0) - (values["idle"] ?? 0)) / 1024 }
    var peak: Double { (values["peak"] ?? 0) / 1024 }
    /// The bytes of an object beyond its values.
    var bytes: Double? { values["bytes"] }
}

/// What came of a comparison.
struct Outcome {
    let comparison: Comparison
    /// Of each round.
    let ours: [Figures]
    let others: [Figures]

    /// Of each round, the least first.
    ///
    /// How much longer something takes is told by the median of single operations, which no wait for others disturbs.
    var ratios: [Double] {
        zip(ours, others).map { ours, other in
            if case .atMost = comparison.target, let mine = ours.p50, let other = other.p50 { return mine / other }
            return ratio(ours.time, other.time)
        }
        .sorted()
    }

    /// By the processors' time, whatever else they have had to do.
    var cpuRatio: Double { ratio(ours.map(\.cpu).median, others.map(\.cpu).median) }

    private func ratio(_ ours: Double, _ other: Double) -> Double {
        switch comparison.target {
        case .atLeast: other / ours
        case .atMost: ours / other
        }
    }
}

extension [Double] {
    var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}
