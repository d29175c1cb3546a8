// SPDX-License-Identifier: Apache-2.0

// docs/model-check.md, compared with all kinds of findings and with those of real models.

import FoundationEssentials
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

    @Test("docs/model-check.md lists every code of a finding, and no other")
    func codes() {
        let codes = ModelIssue.Code.allCases.map(\.rawValue)
        #expect(listed.count == rows.count, "A code is listed twice.")
        #expect(Set(codes).subtracting(listed.keys).sorted() == [], "These are missing from the page.")
        #expect(Set(listed.keys).subtracting(codes).sorted() == [], "These have gone from the code.")
    }

    @Test("docs/model-check.md gives each code the severities of its findings", arguments: ModelIssue.Code.allCases)
    func severities(code: ModelIssue.Code) {
        #expect(listed[code.rawValue] == ["\(code.severity)", "\(code.mildSeverity)"])
    }

    @Test("every code of a finding is used by the sources")
    func use() throws {
        let folder = "Sources/ObjectModel/"
        let source = try FileManager.default.subpathsOfDirectory(atPath: Checkout.path + "/" + folder)
            .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("ModelIssue") }
            .map { try Checkout.text(of: folder + $0) }.joined()
        let used = Set(source.matches(of: /\.(\w+)/).map { String($0.1) })
        #expect(ModelIssue.Code.allCases.filter { !used.contains("\($0)") } == [])
    }

    @Test("findings in models of other projects have the documented severities", .enabled(if: Corpus.path != nil))
    func corpus() {
        var met: Set<ModelIssue.Code> = []
        for path in Corpus.bundles {
            guard let file = try? ModelFile.read(path: path) else { continue }
            for version in file.versions {
                for issue in version.findings() {
                    met.insert(issue.code)
                    #expect(issue.severity == issue.code.severity || issue.severity == issue.code.mildSeverity)
                }
            }
        }
        #expect(met.count > 5)
    }

    @Test("docs/model-check.md names every severity")
    func severityNames() throws {
        let section = try #require(page.section("How bad it is"))
        for severity in ModelIssue.Severity.allCases { #expect(section.rows.contains { $0[0] == "\(severity)" }) }
    }

    @Test("docs/model-check.md names every key of a finding in JSON")
    func keys() throws {
        let place = ModelIssue.Place(file: "File", line: 1, column: 1, entity: "Entity", property: "property")
        let issue = ModelIssue(.modelName, at: place, "Message.", hint: "Hint.")
        let names = try #require(issue.json.object).names
        let code = try #require(page.section("For scripts")).code
        #expect(names.count > 5)
        for name in names { #expect(code.contains(name), "\(name)") }
    }

    @Test("docs/model-check.md shows what the program prints")
    func console() throws {
        try Console.expectOutputs(of: page)
    }
}
