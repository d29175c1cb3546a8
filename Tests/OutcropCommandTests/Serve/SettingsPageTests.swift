// SPDX-License-Identifier: Apache-2.0

// docs/configuration.md and Config/outcrop.json, compared with the table of settings.

import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Configuration page and file")
struct SettingsPageTests {
    @Test("the page has the table of each section of settings", arguments: Setting.Section.allCases)
    func tables(section: Setting.Section) throws {
        let table = SettingsPage.table(of: section)
        #expect(try Checkout.text(of: "docs/configuration.md").contains("\n" + table + "\n"), "\(table)")
    }

    @Test("the page has each event of the log", arguments: LogEvent.allCases)
    func events(event: LogEvent) throws {
        let rows = try Checkout.text(of: "docs/configuration.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.contains { $0.split(separator: "|")[0].contains("`\(event.rawValue)`") })
    }

    @Test("the page's systemd unit has a valid command line and a store in the unit's state folder")
    func unit() throws {
        let page = try Checkout.text(of: "docs/configuration.md")
        let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
        let words = line.split(separator: " ").dropFirst().map(String.init)
        #expect(Program.run(words + ["--check"], on: .plain).status != .usage)
        #expect(page.contains("\nStateDirectory=outcrop\n") && line.contains("sqlite:/var/lib/outcrop/"))
    }

    @Test("the page's commands can start a server")
    func commands() throws {
        let page = try Checkout.text(of: "docs/configuration.md")
        let lines = page.matches(of: /```sh\noutcrop (.*)\n```/).map { String($0.1) }
        #expect(lines.count == page.matches(of: /```sh\n/).count && !lines.isEmpty)
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            let result = Program.run(words + ["--demo", "--check"], on: .plain)
            #expect(result.status == .fine, "\(result.output)\(result.errors)")
        }
    }

    @Test("the default file has all defaults with their reasons")
    func file() throws {
        let expected = SettingsPage.file
        #expect(try Checkout.text(of: "Config/outcrop.json") == expected, "\(expected)")
    }

    @Test("the default file sets nothing but the defaults")
    func defaults() throws {
        let reading = SettingsReader(file: Checkout.path + "/Config/outcrop.json", environment: [:], options: [])
        #expect(reading.problems.isEmpty && reading.warnings.isEmpty)
        #expect(reading.places.count == Setting.all.filter { !$0.standard.isNull }.count)
        #expect(settingsText(reading.settings) == settingsText(ServeSettings()))
    }
}

/// All values of settings, for comparison.
func settingsText(_ settings: ServeSettings) -> String {
    var text = ""
    dump(settings, to: &text)
    return text
}
