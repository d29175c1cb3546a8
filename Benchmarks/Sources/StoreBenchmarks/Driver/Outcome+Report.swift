// SPDX-License-Identifier: Apache-2.0

// Outcomes as a table, and as JSON.

extension Outcome {
    static let header = row(
        [
            "workload", "ours", "other", "ratio", "least–most", "target", "p50", "p99", "CPU ours", "other", "ratio",
            "peak MiB",
            "other",
        ]
    )

    var rows: [String] {
        var cells = [comparison.name, Self.text(ours.map(\.time).median), Self.text(others.map(\.time).median)]
        let ratios = ratios
        cells += [
            Self.text(ratio: ratios.median),
            "\(Self.text(ratio: ratios[0]))–\(Self.text(ratio: ratios[ratios.count - 1]))",
            comparison.target.text + (comparison.target.isMet(by: ratios.median) ? "" : " !"),
        ]
        for values in [ours.compactMap(\.p50), ours.compactMap(\.p99)] {
            cells.append(values.isEmpty ? "" : Self.text(values.median))
        }
        cells += [Self.text(ours.map(\.cpu).median), Self.text(others.map(\.cpu).median)]
        cells.append(Self.text(ratio: cpuRatio))
        for runs in [ours, others] {
            cells.append("\(Int(runs.map(\.peak).median)) (+\(Int(runs.map(\.memory).median)))")
        }
        let bytes = ours.compactMap(\.bytes)
        return [Self.row(cells)]
            + (bytes.isEmpty ? [] : ["    an object takes \(Int(bytes.median)) bytes beyond its values"])
    }

    private static let widths = [56, 11, 11, 8, 14, 9, 11, 11, 11, 11, 8, 12, 12]

    private static func row(_ cells: [String]) -> String {
        zip(cells, widths).enumerated().map { place, cell in
            let space = String(repeating: " ", count: max(1, cell.1 - cell.0.count))
            return place == 0 ? cell.0 + space : space + cell.0
        }
        .joined()
    }

    private static func text(_ seconds: Double) -> String {
        switch seconds {
        case ..<1e-3: "\(rounded(seconds * 1e6)) µs"
        case ..<1: "\(rounded(seconds * 1e3)) ms"
        default: "\(rounded(seconds)) s"
        }
    }

    private static func text(ratio: Double) -> String { "\(rounded(ratio))" }

    private static func rounded(_ value: Double) -> Double {
        let scale: Double = value < 10 ? 100 : 10
        return (value * scale).rounded() / scale
    }
}

extension [Outcome] {
    var json: String { "[\n" + map(\.json).joined(separator: ",\n") + "\n]\n" }
}

extension Outcome {
    fileprivate var json: String {
        let ratios = ratios
        let members = [
            ("workload", "\"\(comparison.name)\""), ("target", "\"\(comparison.target.text)\""),
            ("met", "\(comparison.target.isMet(by: ratios.median))"),
            (
                "ratio",
                Self.object([
                    ("median", ratios.median), ("least", ratios[0]), ("most", ratios[ratios.count - 1]),
                    ("cpu", cpuRatio),
                ])
            ),
            ("ours", Self.object(ours)), ("other", Self.object(others)),
        ]
        return "  {" + members.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
    }

    private static func object(_ runs: [Figures]) -> String {
        var members = [
            ("seconds", runs.map(\.time).median), ("cpu", runs.map(\.cpu).median),
            ("peakMiB", runs.map(\.peak).median), ("aboveIdleMiB", runs.map(\.memory).median),
        ]
        for (name, values) in [
            ("p50", runs.compactMap(\.p50)), ("p99", runs.compactMap(\.p99)), ("bytes", runs.compactMap(\.bytes)),
        ] where !values.isEmpty {
            members.append((name, values.median))
        }
        return object(members)
    }

    private static func object(_ members: [(String, Double)]) -> String {
        "{" + members.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
    }
}
