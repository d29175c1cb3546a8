// SPDX-License-Identifier: Apache-2.0

// Reads settings by precedence: an option over a variable, a variable over the file, the file over the default.

import Arguments
import FoundationEssentials
import JSON
import RESTAPI
import SourceText

/// A problem with a setting, and where the setting was given.
struct SettingProblem: Error, Hashable, Sendable {
    let place: String
    let message: String
    var hint: String?

    var line: String { "\(place): \(message)" + (hint.map { " \($0)" } ?? "") }
}

/// Reads all settings, and collects all problems.
struct SettingsReader {
    private(set) var settings = ServeSettings()
    private(set) var problems: [SettingProblem] = []
    /// Warnings that don't prevent a start.
    private(set) var warnings: [SettingProblem] = []
    /// Where each setting was given, by its key.
    private(set) var places: [String: String] = [:]

    /// The variable with the path of the file, like `--config`.
    static let fileVariable = Setting.prefix + "CONFIG"
    /// Variables of the project that are not settings.
    private static let otherVariables: Set<String> = [
        "OUTCROP_BENCHMARKS", "OUTCROP_CI_CACHE", "OUTCROP_COMMIT", "OUTCROP_CORPUS", "OUTCROP_FUZZER",
        "OUTCROP_KILL_ROUNDS", "OUTCROP_OPTIMIZED", "OUTCROP_SANITIZER", "OUTCROP_SEED", "OUTCROP_SEEDS",
        "OUTCROP_TESTS",
        "OUTCROP_TEST_STORE", "OUTCROP_TEST_TRANSPORT", "OUTCROP_TURN", "OUTCROP_WRITE_ANSWERS",
    ]

    /// The file that is read if nothing says what to serve.
    static let defaultFile = "outcrop.json"

    /// - Parameters:
    ///   - subject: The model or store that is given as an argument.
    ///   - folder: Where the default file is looked for; nil if it isn't read.
    init(
        file: String?,
        environment: [String: String],
        options: [(setting: Setting, words: [String])],
        serving subject: ServeSubject? = nil,
        folder: String? = nil
    ) {
        let named = environment[Self.fileVariable].flatMap { $0.isEmpty ? nil : $0 }
        if let path = file ?? named {
            read(file: path)
        } else if let folder, subject == nil, !Self.nameSubject(options, environment) {
            let path = (folder.isEmpty ? "" : folder + "/") + Self.defaultFile
            if FileManager.default.fileExists(atPath: path) {
                read(file: path)
                settings.notes.append("The settings are those of \(path).")
            }
        }
        read(environment)
        for (setting, words) in options { apply(setting, words: words, at: "--\(setting.option)") }
        if let subject { serve(subject, options) }
        // Only an explicit page size may conflict with the maximum.
        if places["pageSize"] == nil {
            settings.api.pageSize = min(settings.api.pageSize, settings.api.maximumPageSize)
        }
    }

    /// Chooses the store if none is given.
    mutating func addDefaultStore(environment: [String: String]) {
        settings.addDefaultStore(environment: environment)
    }

    /// Whether options or variables say what to serve.
    private static func nameSubject(
        _ options: [(setting: Setting, words: [String])],
        _ environment: [String: String]
    ) -> Bool {
        Setting.all.contains { setting in
            ["model", "store", "demo"].contains(setting.key)
                && (options.contains { $0.setting.key == setting.key }
                    || environment[setting.variable]?.isEmpty == false)
        }
    }

    private mutating func serve(_ subject: ServeSubject, _ options: [(setting: Setting, words: [String])]) {
        let key: String
        let text: String
        switch subject {
        case .model(let path): (key, text) = ("model", path)
        case .store(let choice): (key, text) = ("store", choice)
        }
        guard let setting = Setting.all.first(where: { $0.key == key }) else { return }
        guard !options.contains(where: { $0.setting.key == key }) else {
            return refuse("--\(setting.option)", "“\(text)” is a \(key) already.", hint: "Give only one of the two.")
        }
        apply(setting, words: [text], at: text)
    }

    private mutating func apply(_ setting: Setting, words: [String], at place: String) {
        do throws(InvalidArgument) {
            try setting.apply(&settings, words)
            places[setting.key] = place
        } catch {
            let given = words.map { "“\($0.printable())”" }.joined(separator: ", ")
            let subject = given.isEmpty ? "An empty list" : given
            let message = "\(subject) isn't a valid value for \(setting.key): \(error.reason)".asSentenceEnd
            let hint = words.first.flatMap { Spelling.hint(for: $0, among: setting.choices) }
            problems.append(SettingProblem(place: place, message: message, hint: hint))
        }
    }

    private mutating func refuse(_ place: String, _ message: String, hint: String? = nil) {
        problems.append(SettingProblem(place: place, message: message, hint: hint))
    }
}

// MARK: - The environment

extension SettingsReader {
    private mutating func read(_ environment: [String: String]) {
        let known = Dictionary(uniqueKeysWithValues: Setting.all.map { ($0.variable, $0) })
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix(Setting.prefix) {
            guard let setting = known[name] else {
                report(unknown: name, among: known.keys.sorted())
                continue
            }
            // An empty variable counts as unset.
            guard !value.isEmpty else { continue }
            let words = setting.repeats ? value.split(separator: ",").map { String($0).trimmed } : [value]
            apply(setting, words: words, at: name)
        }
    }

    /// A misspelled variable is an error, since it leaves a setting unset. Others only cause a warning: container
    /// platforms set variables for services with the same prefix.
    private mutating func report(unknown name: String, among known: [String]) {
        guard name != Self.fileVariable, !Self.otherVariables.contains(name) else { return }
        let rest = String(name.dropFirst(Setting.prefix.count))
        let names = (known + [Self.fileVariable]).map { String($0.dropFirst(Setting.prefix.count)) }
        if let nearest = Spelling.nearest(to: rest, among: names) {
            refuse(name, "This setting doesn't exist.", hint: "Did you mean “\(Setting.prefix)\(nearest)”?")
        } else {
            warnings.append(SettingProblem(place: name, message: "This variable isn't a setting, and is ignored."))
        }
    }
}

// MARK: - The file

extension SettingsReader {
    private mutating func read(file path: String) {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            return refuse(path, "The file of settings can't be read.")
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: Array(data), allowingComments: true)
        } catch {
            return refuse("\(path):\(error.position)", error.message)
        }
        guard let object = value.object else {
            return refuse(
                path,
                "Settings must be an object, as in {\"listen\": \"127.0.0.1:8080\"}, not \(value.kindName)."
            )
        }
        for member in object.members {
            let place = "\(path):\((member.position).map { "\($0)" } ?? "")"
            guard let setting = Setting.all.first(where: { $0.key == member.name }) else {
                let hint = Spelling.hint(for: member.name, among: Setting.all.map(\.key))
                refuse(place, "There is no setting “\(member.name.printable())”.", hint: hint)
                continue
            }
            // Null means the default only for settings without a value; for others it is an error.
            if member.value.isNull, setting.standard.isNull || setting.standard.array?.isEmpty == true { continue }
            guard let words = Self.words(of: member.value, for: setting) else {
                let message = "\(member.value.kindName) isn't a valid value for \(setting.key).".capitalised
                refuse(place, message, hint: Self.hint(for: member.value, of: setting))
                continue
            }
            apply(setting, words: words, at: place)
        }
    }

    private static func hint(for value: JSONValue, of setting: Setting) -> String? {
        if value.isNull { return "Omit it for the default." }
        return setting.placeholder == nil ? "Use true or false, without quotes." : nil
    }

    /// Nil for values of another type than the setting's.
    private static func words(of value: JSONValue, for setting: Setting) -> [String]? {
        switch value.kind {
        case .string(let text): setting.placeholder == nil ? nil : [text]
        case .number(let number): setting.acceptsNumbers ? ["\(number)"] : nil
        case .bool(let flag): setting.placeholder == nil ? ["\(flag)"] : nil
        case .array(let values):
            values.reduce([] as [String]?) { words, value in
                guard let words, value.array == nil, let word = Self.words(of: value, for: setting) else { return nil }
                return words + word
            }
        case .null, .object: nil
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        let start = drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }

    fileprivate var capitalised: String { prefix(1).uppercased() + dropFirst() }
}
