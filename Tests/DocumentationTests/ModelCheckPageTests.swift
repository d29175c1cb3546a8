// SPDX-License-Identifier: Apache-2.0

// docs/model-check.md against the findings that the source can make and those that it makes of real models.

import JSON
import ObjectModel
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("docs/model-check.md")
struct ModelCheckPageTests {
    private let page: Page
    /// The rows of the tables of codes.
    private let rows: [[String]]
    /// The severities that the page names, by the codes.
    private let listed: [String: Set<String>]

    init() throws {
        page = try Page("docs/model-check.md")
        rows = page.sections.flatMap(\.rows).filter { $0.count == 3 }
        let pairs = rows.map { ($0[0].filter { $0 != "`" }, Set($0[1].split(separator: ", ").map(String.init))) }
        listed = Dictionary(pairs, uniquingKeysWith: { $1 })
    }

    @Test("lists every code that the source gives a finding, and no other")
    func codes() throws {
        let codes = try FindingCodes()
        #expect(codes.unreadable == [])
        let known = Set(codes.severities.keys)
        #expect(known.count > 80)
        #expect(listed.count == rows.count, "A code is listed twice.")
        #expect(known.subtracting(listed.keys).sorted() == [], "These are missing from the page.")
        #expect(Set(listed.keys).subtracting(known).sorted() == [], "These have gone from the source.")
    }

    @Test("gives each code the severities that the source gives it")
    func severities() throws {
        for (code, severities) in try FindingCodes().severities where !severities.isEmpty {
            #expect(listed[code] == severities, "\(code)")
        }
    }

    @Test("knows all places where findings are made")
    func makers() throws {
        #expect(
            try FindingCodes().makers == [
                "ModelCheck.swift", "PredicateCheck.swift", "MigrationReview.swift", "ContentsReader.swift",
                "JSONModelReader.swift", "ModelFile+Reading.swift", "ModelFile+Versions.swift",
                "ModelError+Issue.swift",
            ]
        )
    }

    @Test("has whatever is found in other people's models", .enabled(if: Corpus.path != nil))
    func corpus() {
        var met: Set<String> = []
        for path in Corpus.bundles {
            guard let file = try? ModelFile.read(path: path) else { continue }
            for version in file.versions {
                for issue in version.issues + version.model.issues() {
                    met.insert(issue.code)
                    #expect(
                        listed[issue.code]?.contains("\(issue.severity)") == true,
                        "\(issue.severity) \(issue.code)"
                    )
                }
            }
        }
        #expect(met.count > 5)
    }

    @Test("names every severity")
    func severityNames() throws {
        let section = try #require(page.section("How bad it is"))
        for severity in ModelIssue.Severity.allCases { #expect(section.rows.contains { $0[0] == "\(severity)" }) }
    }

    @Test("names every key of a finding in JSON")
    func keys() throws {
        let place = ModelIssue.Place(file: "File", line: 1, column: 1, entity: "Entity", property: "property")
        let issue = ModelIssue(.note, code: "code", place: place, message: "Message.", hint: "Hint.")
        let names = try #require(issue.json.object).names
        let code = try #require(page.section("For scripts")).code
        #expect(names.count > 5)
        for name in names { #expect(code.contains(name), "\(name)") }
    }

    @Test("shows what the program prints")
    func console() throws {
        try Console.expectOutputs(of: page)
    }
}
