// SPDX-License-Identifier: Apache-2.0

// The codes of findings about models, gathered from the source, since no list in the code has them all.

import FoundationEssentials
import TestSupport

/// Every code that the source gives a finding, with the severities that it gives it.
struct FindingCodes {
    /// Without severities where they are said in another place than the code.
    private(set) var severities: [String: Set<String>] = [:]
    /// Calls whose code can't be read here.
    private(set) var unreadable: [String] = []
    /// The files that make findings.
    private(set) var makers: Set<String> = []

    init() throws {
        let folder = "Sources/ObjectModel/"
        let paths = try FileManager.default.subpathsOfDirectory(atPath: Checkout.path + "/" + folder)
        for path in paths where path.hasSuffix(".swift") {
            let text = try Checkout.text(of: folder + path)
            let file = String(path.split(separator: "/").last ?? "")
            if text.contains("ModelIssue("), file != "ModelIssue.swift" { makers.insert(file) }
            switch file {
            case "ModelError.swift": readErrors(text)
            case _ where file.hasPrefix("MigrationReview"): readReview(text)
            default: readReports(text, prefix: file.hasPrefix("PredicateCheck") ? "predicate." : "")
            }
        }
    }

    /// `report(.error, "entity.name", …`, also where the severity is chosen between two.
    private mutating func readReports(_ text: String, prefix: String) {
        let call = /(?:report|ModelIssue)\(\s*([^"(),]+),\s*(?:code: )?("[^"]*"|[^"\s,]+)/
        for match in text.matches(of: call) {
            let names = Set(match.1.matches(of: /\.(error|warning|note)\b/).map { String($0.1) })
            let code = match.2.filter { $0 != "\"" }
            if code.hasPrefix("\\(subject).") {
                // Indexes and constraints share a check.
                for subject in ["index", "constraint"] { add(subject + code.trimmingPrefix("\\(subject)"), names) }
            } else if match.2.hasPrefix("\""), !code.contains("\\") {
                add(prefix + code, names)
            } else if !names.isEmpty, !code.hasPrefix("model.\\(") {
                unreadable.append(String(match.0))
            }
        }
    }

    /// `obstruct("type", …`
    private mutating func readReview(_ text: String) {
        for match in text.matches(of: /(func )?(obstruct|lose|note)\(\s*([^\s,]+)/) where match.1 == nil {
            let code = match.3.filter { $0 != "\"" }
            if code.count != match.3.count - 2 { unreadable.append(String(match.0)) }
            switch match.2 {
            case "obstruct": add("migration.\(code)", ["error"])
            case "lose": add("migration.loss.\(code)", ["warning"])
            default: add("migration.\(code)", ["note"])
            }
        }
    }

    /// The errors of readers become findings; those of writers don't.
    private mutating func readErrors(_ text: String) {
        for match in text.matches(of: /static let (\w+) = Code\(description: "(\w+)"\)/)
        where match.1 != "unwritable" && match.1 != "wouldOverwrite" {
            add("model.\(match.2)", ["error"])
        }
    }

    private mutating func add(_ code: String, _ names: Set<String>) {
        severities[code, default: []].formUnion(names)
    }
}
