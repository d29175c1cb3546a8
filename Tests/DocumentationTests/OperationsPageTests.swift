// SPDX-License-Identifier: Apache-2.0

// The guide to operations, and the files that packages and containers are made of, compared with the program.

import Arguments
import Foundation
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("docs/operations.md")
struct OperationsPageTests {
    /// The page's lines of code, without their indentation.
    private let code: [String]

    init() throws {
        code = try Checkout.text(of: "docs/operations.md").split(separator: "\n").filter { $0.hasPrefix("    ") }
            .map { String($0.drop { $0 == " " }) }
    }

    @Test("each command line of the page can be parsed")
    func commands() throws {
        let lines = code.filter { $0.hasPrefix("outcrop ") }
        #expect(lines.count > 5)
        for line in lines {
            let words = Array(Console.words(of: line).dropFirst())
            #expect(throws: Never.self, "\(line)") { try Program.command.parse(words) }
        }
    }

    @Test("what the page adds to the service is in the service already, with another value")
    func extensions() throws {
        let unit = try Checkout.text(of: "Packaging/systemd/outcrop.service")
        let keys = code.drop { $0 != "[Service]" }.dropFirst().prefix { $0.contains(/^\w+=/) }.map { line in
            line.prefix { $0 != "=" }
        }
        #expect(!keys.isEmpty)
        for key in keys { #expect(unit.contains("\n\(key)="), "\(key)") }
    }

    @Test("the files that the page and the package's guide name exist")
    func files() throws {
        for text in [try Checkout.text(of: "docs/operations.md"), try Checkout.text(of: "Packaging/README.md")] {
            for path in text.matches(of: /`((?:Packaging|Config|Trials)\/[\w.\/-]+)`/).map(\.1) {
                #expect(FileManager.default.fileExists(atPath: Checkout.path + "/" + path), "\(path)")
            }
        }
    }

    @Test("the version has one place, which packages read, and a section in the changelog")
    func version() throws {
        let process = Process()
        process.executableURL = URL(filePath: Checkout.path + "/Packaging/version")
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(printed == Version.number + "\n")
        #expect(Version.text == Version.number + (Version.commit.map { " (commit \($0))" } ?? ""))
        #expect(try Checkout.text(of: "CHANGELOG.md").contains("\n## \(Version.number)\n"))
    }

    @Test("the settings of the package have no mistakes, and demand access rules")
    func packagedSettings() {
        let reading = SettingsReader(file: Checkout.path + "/Packaging/etc/outcrop.json", environment: [:], options: [])
        #expect(reading.problems.isEmpty && reading.warnings.isEmpty, "\(reading.problems)")
        #expect(reading.settings.access == "/etc/outcrop/access.json")
        #expect(!reading.settings.allowAnonymous)
    }

    @Test(
        "the access rules of the package and of the container have no mistakes, and permit nothing without a key",
        arguments: ["Packaging/etc/access.json", "Config/container/access.json"]
    )
    func accessRules(path: String) throws {
        let file = Checkout.path + "/" + path
        let model = Checkout.path + "/Config/Demo.xcdatamodeld"
        let result = Program.run(["access", "check", file, "--model", model], on: .plain)
        #expect(result.status == .fine, "\(result.output)\(result.errors)")
        #expect(try !Checkout.text(of: path).contains("anonymous"))
    }

    @Test(
        "variables of the container are settings, and none lets every client in",
        arguments: ["Dockerfile", "compose.yaml"]
    )
    func variables(path: String) throws {
        let text = try Checkout.text(of: path)
        let pattern = /(?m)^(?:ENV |      )(OUTCROP_\w+)(?:=|: )"?([^"\n]*)"?$/
        let variables = Dictionary(
            text.matches(of: pattern).map { (String($0.1), String($0.2)) },
            uniquingKeysWith: { first, _ in first }
        )
        #expect(variables.count >= 3)
        let settings = Set(Setting.all.map(\.variable))
        for name in variables.keys where name != "OUTCROP_DOMAIN" { #expect(settings.contains(name), "\(name)") }
        #expect(variables["OUTCROP_ACCESS"]?.contains("/etc/outcrop/access.json") == true)
        #expect(variables["OUTCROP_ALLOW_ANONYMOUS"].map { $0.hasSuffix(":-false}") } ?? true)
    }
}
