// SPDX-License-Identifier: Apache-2.0

// The figures of all rounds, and their ratios.

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
