// SPDX-License-Identifier: Apache-2.0

// The format of log lines.

import SQLiteDriver

/// Formats the parts of log lines.
enum LogText {
    /// A complete line. Characters that would end it or hide a part of it are escaped.
    static func line(_ text: String) -> String {
        let prefix = "CoreData: "
        guard text.unicodeScalars.contains(where: isUnsafe) else { return prefix + text }
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": line.append(contentsOf: "\\n".unicodeScalars)
            case "\r": line.append(contentsOf: "\\r".unicodeScalars)
            case "\t": line.append(contentsOf: "\\t".unicodeScalars)
            case _ where isUnsafe(scalar):
                line.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            default: line.append(scalar)
            }
        }
        return prefix + String(line)
    }

    /// Whether a character controls lines, terminals or the direction of text.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x20 else { return true }
        guard scalar.value >= 0x7F else { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }

    /// A bound value, shortened if it is long.
    static func value(_ value: SQLValue?) -> String {
        switch value {
        case nil: "(not known)"
        case .null: "NULL"
        case .integer(let value): "(int64)\(value)"
        case .real(let value): "(double)\(value)"
        case .text(let value): quoted(value)
        case .blob(let bytes): blob(bytes)
        }
    }

    /// One line for each step, nested steps indented.
    static func plan(_ steps: [PlanStep]) -> [String] {
        var depths: [Int64: Int] = [:]
        return steps.map { step in
            let depth = step.parent.flatMap { depths[$0] }.map { $0 + 1 } ?? 0
            depths[step.id] = depth
            return String(repeating: "  ", count: depth) + step.detail
        }
    }

    private static func quoted(_ text: String) -> String {
        let start = text.unicodeScalars.prefix(longestText)
        let isLong = start.endIndex < text.endIndex
        var quoted = "\""
        for scalar in start {
            if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + (isLong ? "…\" of \(text.utf8.count) bytes" : "\"")
    }

    private static func blob(_ bytes: [UInt8]) -> String {
        let digits = bytes.prefix(longestBlob).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "{length = \(bytes.count), bytes = 0x\(digits)\(bytes.count > longestBlob ? "…" : "")}"
    }

    private static let longestText = 256
    private static let longestBlob = 24

    /// A duration rounded to a tenth of a millisecond: `0.0004s`.
    static func seconds(_ duration: Duration) -> String {
        let units = max(0, Int64((duration / .microseconds(100)).rounded()))
        let fraction = String(units % 10_000)
        return "\(units / 10_000).\(String(repeating: "0", count: 4 - fraction.count))\(fraction)s"
    }
}
