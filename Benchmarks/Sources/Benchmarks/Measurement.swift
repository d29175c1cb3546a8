// SPDX-License-Identifier: Apache-2.0

// Timing one operation: many runs in rounds, of which the median counts, since machines are noisy.

struct Measurement {
    let name: String
    /// Time of one operation in each round, in nanoseconds, sorted.
    let rounds: [Double]

    var median: Double { rounds[rounds.count / 2] }

    init(_ name: String, rounds: Int, operation: () throws -> Void) rethrows {
        let clock = ContinuousClock()
        var count = 1
        // As many operations a round as take about 20 ms, so that the clock's own cost doesn't show.
        while try clock.measure({ for _ in 0..<count { try operation() } }) < .milliseconds(20) { count *= 2 }
        var times: [Double] = []
        for _ in 0..<rounds {
            let time = try clock.measure { for _ in 0..<count { try operation() } }
            times.append(time.nanoseconds / Double(count))
        }
        self.name = name
        self.rounds = times.sorted()
    }

    /// Measurements of so many operations each, made elsewhere.
    init(_ name: String, times: [Duration], count: Int) {
        self.name = name
        rounds = times.map { $0.nanoseconds / Double(count) }.sorted()
    }

    var row: String {
        let columns = [median, rounds[0], rounds[rounds.count - 1]].map(Self.text)
        return ([name.padded(to: 44)] + columns.map { $0.leftPadded(to: 11) }).joined()
    }

    static let header =
        "operation".padded(to: 44)
        + ["median", "least", "most"].map { $0.leftPadded(to: 11) }.joined()

    private static func text(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<1_000: "\(Int(nanoseconds)) ns"
        case ..<1_000_000: "\((nanoseconds / 10).rounded() / 100) µs"
        default: "\((nanoseconds / 10_000).rounded() / 100) ms"
        }
    }
}

extension Duration {
    fileprivate var nanoseconds: Double { Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9 }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
    fileprivate func leftPadded(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
