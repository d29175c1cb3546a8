// SPDX-License-Identifier: Apache-2.0

// The text of docs/configuration.md and of the default file that the table of settings determines.

import JSON

@testable import OutcropCommand

enum SettingsPage {
    /// The table of a section, as on the page.
    static func table(of section: Setting.Section) -> String {
        let rows = Setting.all.filter { $0.section == section }.map { setting in
            let value = setting.placeholder.map { " \($0)" } ?? ""
            let choices = setting.choices.isEmpty ? "" : " One of \(Wording.list(setting.choices.map { "`\($0)`" }))."
            let standard = setting.placeholder == nil ? "off" : setting.defaultValueText
            return "| `\(setting.key)` | `--\(setting.option)\(value)` | `\(setting.variable)` | \(standard) | "
                + "\(setting.reason)\(choices) |"
        }
        let head = ["| key | option | variable | default | what it does, and why |", "| --- | --- | --- | --- | --- |"]
        return (head + rows).joined(separator: "\n")
    }

    /// The rows of `outcrop serve` in docs/commands.md.
    static var commandRows: String {
        Setting.all.map { setting in
            let value = setting.placeholder.map { " \($0)" } ?? ""
            let choices = setting.choices.isEmpty ? "" : " One of \(Wording.list(setting.choices.map { "`\($0)`" }))."
            return "| `--\(setting.option)\(value)` | \(setting.reason)\(choices) |"
        }
        .joined(separator: "\n")
    }

    /// The file with all defaults, each with its reason.
    static var file: String {
        var lines = [
            "// The settings of `outcrop serve` and their defaults, described in docs/configuration.md. Null means no value:",
            "// the comment says what applies then. A file may have only some of the settings.", "{",
        ]
        for section in Setting.Section.allCases {
            if section != Setting.Section.allCases.first { lines.append("") }
            lines.append("  // \(section.rawValue)")
            for setting in Setting.all where setting.section == section {
                let defaultDescription = setting.defaultDescription.map { " Without it: \($0)." } ?? ""
                lines.append("")
                lines += wrapped(setting.reason + defaultDescription).map { "  // " + $0 }
                let comma = setting.key == Setting.all.last?.key ? "" : ","
                lines.append("  \"\(setting.key)\": \(setting.standard.serialized(.compact))\(comma)")
            }
        }
        return (lines + ["}", ""]).joined(separator: "\n")
    }

    private static func wrapped(_ text: String) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            if lines[lines.count - 1].count + word.count > 100 { lines.append("") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
        }
        return lines
    }
}
