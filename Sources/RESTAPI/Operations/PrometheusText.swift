// SPDX-License-Identifier: Apache-2.0

// Metrics as Prometheus reads them.

import ObjectGraph

/// Text in Prometheus' format of version 0.0.4.
struct PrometheusText {
    static let type = "text/plain; version=0.0.4; charset=utf-8"

    enum Kind: String {
        case counter
        case gauge
        case summary
    }

    private(set) var text = ""

    /// Writes a metric with what it has for each set of labels.
    mutating func write(
        _ name: String,
        _ kind: Kind,
        _ help: String,
        _ samples: [(labels: [(name: String, value: String)], value: Double)]
    ) {
        begin(name, kind, help)
        for sample in samples { write(name, sample.labels, sample.value) }
    }

    mutating func write(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
        write(name, kind, help, [([], Double(value))])
    }

    /// Writes durations as a summary in seconds.
    mutating func write(
        _ name: String,
        _ help: String,
        _ histograms: [(labels: [(name: String, value: String)], durations: CallTimings)]
    ) {
        begin(name, .summary, help)
        for (labels, durations) in histograms {
            for quantile in [0.5, 0.99] {
                write(name, labels + [("quantile", "\(quantile)")], durations.quantile(quantile)?.seconds ?? 0)
            }
            write(name + "_sum", labels, durations.total.seconds)
            write(name + "_count", labels, Double(durations.count))
        }
    }

    private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    private mutating func write(_ name: String, _ labels: [(name: String, value: String)], _ value: Double) {
        text += name
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",") + "}"
        }
        let whole = Int64(exactly: value).map(String.init)
        text += " \(whole ?? "\(value)")\n"
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
