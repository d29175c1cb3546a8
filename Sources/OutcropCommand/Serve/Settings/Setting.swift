// SPDX-License-Identifier: Apache-2.0

// A setting: what it is called in each place, its default, its reason, and how its value gets to where it is used.

import Arguments
import JSON

/// One line of the table of settings, `Setting.all`.
struct Setting: Sendable {
    /// Under which heading it stands.
    enum Section: String, CaseIterable, Sendable {
        case data = "Data"
        case listening = "Listening"
        case api = "Requests and answers"
        case limits = "Limits"
        case logging = "Logs"
    }

    /// Its name in files: `requestLine`. The others follow from it.
    let key: String
    let section: Section
    /// What it does, and why it is as it is.
    let reason: String
    /// What stands for the value in help; a switch has none.
    let placeholder: String?
    let choices: [String]
    let repeats: Bool
    /// Whether files may have a number for it.
    let takesNumbers: Bool
    /// The default as files have it, null for none.
    let standard: JSONValue
    /// What happens where there is no value, for settings that have none by default.
    let otherwise: String?
    let completion: Completion
    /// Puts words into settings.
    let apply: @Sendable (inout ServeSettings, [String]) throws(InvalidArgument) -> Void

    /// Its name on the command line, without dashes: `request-line`.
    var option: String { Self.words(of: key).joined(separator: "-") }
    /// Its name among the variables of the environment: `OUTCROP_REQUEST_LINE`.
    var variable: String { Self.prefix + Self.words(of: key).joined(separator: "_").uppercased() }

    /// What all variables of the program begin with.
    static let prefix = "OUTCROP_"

    private static func words(of key: String) -> [String] {
        var words = [""]
        for character in key {
            if character.isUppercase { words.append("") }
            words[words.count - 1] += character.lowercased()
        }
        return words
    }
}

extension Setting {
    typealias Path<Value> = any WritableKeyPath<ServeSettings, Value> & Sendable

    /// A setting that has a value always.
    init<Value>(
        _ key: String,
        _ path: Path<Value>,
        _ type: SettingType<Value>,
        in section: Section,
        _ reason: String
    ) {
        self.init(key, section, reason, type, standard: type.json(ServeSettings()[keyPath: path])) {
            (settings, words) throws(InvalidArgument) in
            settings[keyPath: path] = try type.read(Self.only(words))
        }
    }

    /// A setting that may have no value.
    init<Value>(
        _ key: String,
        _ path: Path<Value?>,
        _ type: SettingType<Value>,
        in section: Section,
        otherwise: String,
        completion: Completion = .none,
        _ reason: String
    ) {
        self.init(
            key,
            section,
            reason,
            type,
            standard: ServeSettings()[keyPath: path].map(type.json) ?? .null,
            otherwise: otherwise,
            completion: completion
        ) { (settings, words) throws(InvalidArgument) in
            settings[keyPath: path] = try type.read(Self.only(words))
        }
    }

    /// A setting of several values.
    init<Value>(
        _ key: String,
        each path: Path<[Value]>,
        _ type: SettingType<Value>,
        in section: Section,
        otherwise: String? = nil,
        completion: Completion = .none,
        _ reason: String
    ) {
        self.init(
            key,
            section,
            reason,
            type,
            repeats: true,
            standard: .array(ServeSettings()[keyPath: path].map(type.json)),
            otherwise: otherwise,
            completion: completion
        ) { (settings, words) throws(InvalidArgument) in
            var values: [Value] = []
            for word in words { values.append(try type.read(word)) }
            settings[keyPath: path] = values
        }
    }

    /// A switch.
    init(_ key: String, _ path: Path<Bool>, in section: Section, _ reason: String) {
        (self.key, self.section, self.reason, placeholder, choices) = (key, section, reason, nil, [])
        (repeats, standard, otherwise, completion) = (false, .bool(ServeSettings()[keyPath: path]), nil, .none)
        takesNumbers = false
        apply = { (settings, words) throws(InvalidArgument) in
            switch try Self.only(words).lowercased() {
            case "true", "yes", "on", "1": settings[keyPath: path] = true
            case "false", "no", "off", "0": settings[keyPath: path] = false
            default: throw InvalidArgument("expected true or false")
            }
        }
    }

    private init<Value>(
        _ key: String,
        _ section: Section,
        _ reason: String,
        _ type: SettingType<Value>,
        repeats: Bool = false,
        standard: JSONValue,
        otherwise: String? = nil,
        completion: Completion = .none,
        apply: @escaping @Sendable (inout ServeSettings, [String]) throws(InvalidArgument) -> Void
    ) {
        (self.key, self.section, self.reason) = (key, section, reason)
        (placeholder, choices, self.repeats) = (type.placeholder, type.choices, repeats)
        takesNumbers = type.isNumber || type.isAmount
        (self.standard, self.otherwise, self.completion, self.apply) = (standard, otherwise, completion, apply)
    }

    private static func only(_ words: [String]) throws(InvalidArgument) -> String {
        guard words.count == 1 else { throw InvalidArgument("expected one value") }
        return words[0]
    }
}

extension SettingType {
    fileprivate func json(_ value: Value) -> JSONValue {
        let text = write(value)
        return isNumber ? Int64(text).map { .integer($0) } ?? .string(text) : .string(text)
    }
}
