// SPDX-License-Identifier: Apache-2.0

// A setting: its names, its default, its description, and how its value is applied.

import Arguments
import JSON

/// An entry in the table of settings, `Setting.all`.
struct Setting: Sendable {
    /// The heading in help and documentation.
    enum Section: String, CaseIterable, Sendable {
        case data = "Data"
        case listening = "Listening"
        case tls = "TLS"
        case access = "Access"
        case api = "Requests and answers"
        case limits = "Limits"
        case logging = "Logs"
    }

    /// The name in files: `requestLine`. The other names are derived from it.
    let key: String
    let section: Section
    /// What it does, and why it has its default.
    let reason: String
    /// The placeholder of the value in help; nil for a flag.
    let placeholder: String?
    let choices: [String]
    let repeats: Bool
    /// Whether files may contain a number for it.
    let acceptsNumbers: Bool
    /// The default as JSON, or null.
    let standard: JSONValue
    /// What happens without a value, for settings without a default.
    let defaultDescription: String?
    let completion: Completion
    /// Parses words and sets the value.
    let apply: @Sendable (inout ServeSettings, [String]) throws(InvalidArgument) -> Void

    /// The option on the command line, without dashes: `request-line`.
    var option: String { Self.words(of: key).joined(separator: "-") }
    /// The environment variable: `OUTCROP_REQUEST_LINE`.
    var variable: String { Self.prefix + Self.words(of: key).joined(separator: "_").uppercased() }

    /// The prefix of all environment variables of the program.
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

    /// Creates a setting that always has a value.
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

    /// Creates a setting that may have no value.
    init<Value>(
        _ key: String,
        _ path: Path<Value?>,
        _ type: SettingType<Value>,
        in section: Section,
        defaultDescription: String,
        completion: Completion = .none,
        _ reason: String
    ) {
        self.init(
            key,
            section,
            reason,
            type,
            standard: ServeSettings()[keyPath: path].map(type.json) ?? .null,
            defaultDescription: defaultDescription,
            completion: completion
        ) { (settings, words) throws(InvalidArgument) in
            settings[keyPath: path] = try type.read(Self.only(words))
        }
    }

    /// Creates a setting with any number of values.
    init<Value>(
        _ key: String,
        each path: Path<[Value]>,
        _ type: SettingType<Value>,
        in section: Section,
        defaultDescription: String? = nil,
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
            defaultDescription: defaultDescription,
            completion: completion
        ) { (settings, words) throws(InvalidArgument) in
            var values: [Value] = []
            for word in words { values.append(try type.read(word)) }
            settings[keyPath: path] = values
        }
    }

    /// Creates a flag.
    init(_ key: String, _ path: Path<Bool>, in section: Section, _ reason: String) {
        self.key = key
        self.section = section
        self.reason = reason
        placeholder = nil
        choices = []
        repeats = false
        standard = .bool(ServeSettings()[keyPath: path])
        defaultDescription = nil
        completion = .none
        acceptsNumbers = false
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
        defaultDescription: String? = nil,
        completion: Completion = .none,
        apply: @escaping @Sendable (inout ServeSettings, [String]) throws(InvalidArgument) -> Void
    ) {
        self.key = key
        self.section = section
        self.reason = reason
        placeholder = type.placeholder
        choices = type.choices
        self.repeats = repeats
        acceptsNumbers = type.isNumber || type.isAmount
        self.standard = standard
        self.defaultDescription = defaultDescription
        self.completion = completion
        self.apply = apply
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
