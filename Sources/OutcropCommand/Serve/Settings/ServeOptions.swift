// SPDX-License-Identifier: Apache-2.0

// Command line options of the settings.

import Arguments
import JSON

enum ServeOptions {
    static let config = Option<String?>(
        "config",
        value: "FILE",
        "A file of settings, in JSON with comments; also set by the variable OUTCROP_CONFIG.",
        completion: .file(["json"]),
        isCommon: true
    )
    static let subject = Argument<String?>(
        "PATH",
        "The model or the store to serve.",
        completion: ModelFiles.completion
    )
    static let check = Flag(
        "check",
        "Check the settings, the model and the stores, then exit. Nothing listens.",
        isCommon: true
    )

    /// The settings that the short help page has.
    private static let common: Set<String> = [
        "model", "store", "readOnly", "migrate", "demo", "listen", "access", "logLevel",
    ]

    static let ready = Flag("ready", "Ask the server that runs with these settings whether it is ready, then exit.")

    /// The options of all settings, and those that are not settings.
    static var parameters: [any Parameter] {
        [subject, config, check, ready] + Setting.all.map { $0.parameter(isCommon: common.contains($0.key)) }
    }

    /// The settings that were given on the command line.
    static func given(_ parsed: ParsedArguments) -> [(setting: Setting, words: [String])] {
        Setting.all.compactMap { setting in
            let words = setting.words(in: parsed)
            return words.isEmpty ? nil : (setting, words)
        }
    }
}

extension Setting {
    /// A flag, an option with one value, or one that may be repeated.
    fileprivate func parameter(isCommon: Bool) -> any Parameter {
        if placeholder == nil { return flag(isCommon: isCommon) }
        return repeats ? many(isCommon: isCommon) : one(isCommon: isCommon)
    }

    fileprivate func words(in parsed: ParsedArguments) -> [String] {
        if placeholder == nil { return parsed[flag()] ? ["true"] : [] }
        return repeats ? parsed[many()] : parsed[one()].map { [$0] } ?? []
    }

    private func flag(isCommon: Bool = false) -> Flag {
        Flag(option, summary, section: section.rawValue, isCommon: isCommon)
    }

    private func one(isCommon: Bool = false) -> Option<String?> {
        Option(
            option,
            value: placeholder,
            summary,
            choices: choices,
            completion: completion,
            section: section.rawValue,
            isCommon: isCommon
        )
    }

    private func many(isCommon: Bool = false) -> Option<[String]> {
        Option(
            option,
            value: placeholder,
            summary,
            completion: completion,
            familiarNames: key == "listen" ? ["port", "host", "address", "bind"] : [],
            section: section.rawValue,
            isCommon: isCommon
        )
    }

    /// The setting's description and its default.
    private var summary: String {
        let standard = defaultValueText
        return standard.isEmpty ? reason : "\(reason) Without it: \(standard)."
    }

    /// The default for people; empty for a flag, which is off.
    var defaultValueText: String {
        if let defaultDescription { return defaultDescription }
        switch standard.kind {
        case .array(let values): return values.compactMap(\.string).joined(separator: ", ")
        case .string(let text): return text
        case .number(let number): return "\(number)"
        case .null, .bool, .object: return ""
        }
    }
}
