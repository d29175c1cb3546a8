// SPDX-License-Identifier: Apache-2.0

// Quantiles of durations.

import TestSupport
import Testing

@testable import RESTAPI

@Suite("A histogram of durations")
struct DurationHistogramTests {
    @Test("knows quantiles to within an eighth, and the rest exactly", arguments: SeededGenerator.seeds(5))
    func quantiles(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var histogram = DurationHistogram()
        let durations = (0..<1000).map { _ in
            Duration.nanoseconds(
                Int64.random(in: 1_024...(1 << Int64.random(in: 11...40, using: &random)), using: &random)
            )
        }
        for duration in durations { histogram.add(duration) }
        let sorted = durations.sorted()
        #expect(histogram.count == 1000)
        #expect(histogram.minimum == sorted[0] && histogram.maximum == sorted[999])
        #expect(histogram.total == durations.reduce(.zero, +))
        for part in [0.01, 0.5, 0.9, 0.99, 1] {
            let exact = sorted[Int((1000 * part).rounded(.up)) - 1].seconds
            let found = histogram.quantile(part).seconds
            #expect(found >= exact * 0.999 && found <= exact * 1.126, "\(part)")
        }
    }

    @Test("takes durations of any size")
    func extremes() {
        var histogram = DurationHistogram()
        #expect(histogram.quantile(0.5) == .zero && histogram.average == .zero)
        for duration in [Duration.zero, .nanoseconds(1), .seconds(1_000_000), .seconds(-1)] { histogram.add(duration) }
        #expect(histogram.count == 4)
        #expect(histogram.quantile(1) == .seconds(1_000_000))
        #expect(histogram.maximum == .seconds(1_000_000))
    }
}
