// SPDX-License-Identifier: Apache-2.0

// What a run has taken, as it says itself.

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

extension [Double] {
    var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}
