// SPDX-License-Identifier: Apache-2.0

// The settings as options of a command.

import Arguments
import JSON

enum ServeOptions {
    static let config = Option<String?>(
        "config",
        value: "FILE",
        "A file of settings, in JSON with comments. The variable OUTCROP_CONFIG names one, too.",
        completion: .file(["json"])
    )
    static let check = Flag("check", "Say whether all is well: settings, model, stores; then end. Nothing listens.")

    /// An option for each setting, beside those that are none.
    static var parameters: [any Parameter] { [config, check] + Setting.all.map(\.parameter) }

    /// What a command line gave.
    static func given(_ parsed: Parsed) -> [(setting: Setting, words: [String])] {
        Setting.all.compactMap { setting in
            let words = setting.words(in: parsed)
            return words.isEmpty ? nil : (setting, words)
        }
    }
}

extension Setting {
    /// A switch without a value, a value at most once, or one that may be repeated.
    fileprivate var parameter: any Parameter {
        if placeholder == nil { return flag }
        return repeats ? many : one
    }

    fileprivate func words(in parsed: Parsed) -> [String] {
        if placeholder == nil { return parsed[flag] ? ["true"] : [] }
        return repeats ? parsed[many] : parsed[one].map { [$0] } ?? []
    }

    private var flag: Flag { Flag(option, summary, section: section.rawValue) }

    private var one: Option<String?> {
        Option(
            option,
            value: placeholder,
            summary,
            choices: choices,
            completion: completion,
            section: section.rawValue
        )
    }

    private var many: Option<[String]> {
        Option(option, value: placeholder, summary, completion: completion, section: section.rawValue)
    }

    /// Its reason, and what happens without it.
    private var summary: String {
        let standard = standardText
        return standard.isEmpty ? reason : "\(reason) Without it: \(standard)."
    }

    /// The default for people; nothing for a switch, which is off.
    var standardText: String {
        if let otherwise { return otherwise }
        switch standard.kind {
        case .array(let values): return values.compactMap(\.string).joined(separator: ", ")
        case .string(let text): return text
        case .number(let number): return "\(number)"
        case .null, .bool, .object: return ""
        }
    }
}
