// SPDX-License-Identifier: Apache-2.0

// Reads the file of webhooks.

import Arguments
import Files
import FoundationEssentials
import JSON
import ObjectGraph
import RESTAPI
import SourceText

/// The hooks in a file, and all mistakes in it.
///
///     [{
///         "name": "search",
///         "url": "http://localhost:9000/changes",
///         "entities": ["Post"],
///         "secret": {"file": "search.secret"}
///     }]
struct HooksFile {
    let path: String
    private(set) var hooks: [Hook] = []
    private(set) var problems: [SettingProblem] = []
    /// The places of each hook's members, by its name.
    private var places: [String: [String: String]] = [:]

    private let hosts: [HookHost]
    private let environment: [String: String]

    static let members = [
        "name", "url", "entities", "kinds", "predicate", "secret", "timeout", "maximumDelay", "giveUpAfter", "attempts",
        "deadLetters",
    ]
    private static let kinds = ["inserted": HistoryChange.Kind.insert, "updated": .update, "deleted": .delete]
    private static let maximum = 100
    private static let secretLength = 16

    /// - Parameters:
    ///   - hosts: The hosts that are allowed.
    ///   - environment: The variables that may have secrets.
    init(path: String, allowing hosts: [HookHost], environment: [String: String]) {
        self.path = path
        self.hosts = hosts
        self.environment = environment
        read()
    }

    /// The mistakes that only show with the model.
    func problems(in api: API) -> [SettingProblem] {
        Hooks.problems(of: hooks, in: api).map { hook, problem in
            SettingProblem(
                place: places[hook.name]?[problem.member] ?? path,
                message: problem.message,
                hint: problem.hint
            )
        }
    }

    private mutating func refuse(_ place: String, _ message: String, hint: String? = nil) {
        problems.append(SettingProblem(place: place, message: message, hint: hint))
    }

    private mutating func read() {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            return refuse(path, "The file of webhooks can't be read.")
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: Array(data), allowingComments: true)
        } catch {
            return refuse("\(path):\(error.position)", error.message)
        }
        guard let list = value.array else {
            return refuse(
                path,
                "Webhooks must be a list, not \(value.kindName).",
                hint: #"Write [{"name": "search", "url": "http://localhost:9000/changes", "secret": …}]."#
            )
        }
        guard list.count <= Self.maximum else {
            return refuse(path, "There are \(list.count) webhooks, more than \(Self.maximum).")
        }
        for value in list { read(value) }
    }

    // MARK: A hook

    private mutating func read(_ value: JSONValue) {
        let place = "\(path):\(value.position.map { "\($0)" } ?? "")"
        guard let object = value.object else {
            return refuse(place, "A webhook must be an object, not \(value.kindName).")
        }
        let count = problems.count
        var places: [String: String] = [:]
        for member in object.members {
            let place = "\(path):\(member.position.map { "\($0)" } ?? "")"
            places[member.name] = place
            guard !Self.members.contains(member.name) else { continue }
            refuse(
                place,
                "A webhook has no “\(member.name.printable())”.",
                hint: Spelling.hint(for: member.name, among: Self.members)
            )
        }
        var reader = MemberReader(object: object, places: places, place: place)
        let name = reader.name()
        let url = reader.url(allowing: hosts)
        let secret = reader.secret(
            besides: URL(filePath: path).deletingLastPathComponent().path,
            environment,
            length: Self.secretLength
        )
        let entities = reader.texts("entities")
        let kinds = reader.texts("kinds", among: Self.kinds.keys.sorted())
        let predicate = reader.text("predicate")
        var limits = HookLimits()
        reader.read("timeout", .duration, into: &limits.timeout)
        reader.read("maximumDelay", .duration, into: &limits.maximumDelay)
        reader.read("giveUpAfter", .duration, into: &limits.giveUpAfter)
        reader.read("attempts", .count(), into: &limits.attempts)
        reader.read("deadLetters", .count(0...100_000), into: &limits.deadLetters)
        problems += reader.problems
        guard problems.count == count, let name, let url, let secret else { return }
        guard self.places[name] == nil else {
            return refuse(
                places["name"] ?? place,
                "Another webhook is called “\(name)”.",
                hint: "The name identifies a webhook's position in the history."
            )
        }
        self.places[name] = places
        var hook = Hook(name: name, url: url, secret: secret)
        hook.entities = entities
        hook.kinds = kinds.map { Set($0.compactMap { Self.kinds[$0] }) }
        hook.predicate = predicate
        hook.limits = limits
        hooks.append(hook)
    }
}

/// Reads the members of a hook, and collects problems.
private struct MemberReader {
    let object: JSONObject
    let places: [String: String]
    let place: String
    private(set) var problems: [SettingProblem] = []

    init(object: JSONObject, places: [String: String], place: String) {
        self.object = object
        self.places = places
        self.place = place
    }

    private mutating func refuse(_ member: String, _ message: String, hint: String? = nil) {
        problems.append(SettingProblem(place: places[member] ?? place, message: message, hint: hint))
    }

    /// A member that isn't null.
    private func value(_ member: String) -> JSONValue? {
        guard let value = object[member], !value.isNull else { return Optional.none }
        return value
    }

    mutating func text(_ member: String) -> String? {
        guard let value = value(member) else { return nil }
        if let text = value.string, !text.isEmpty { return text }
        refuse(member, "“\(member)” must be a text that isn't empty.")
        return nil
    }

    mutating func name() -> String? {
        guard value("name") != nil else {
            refuse("name", "The webhook has no “name”.", hint: "It identifies the webhook's position in the history.")
            return nil
        }
        guard let name = text("name") else { return nil }
        if Hook.isName(name) { return name }
        refuse(
            "name",
            "“\(name.printable())” can't be a webhook's name.",
            hint: "Use up to 64 letters, digits, -, _ and ., the first no dot."
        )
        return nil
    }

    mutating func url(allowing hosts: [HookHost]) -> HookURL? {
        guard value("url") != nil else {
            refuse("url", "The webhook has no “url”.")
            return nil
        }
        guard let text = text("url") else { return nil }
        do throws(HookURL.Failure) {
            let url = try HookURL(text)
            if hosts.contains(where: { $0.allows(url) }) { return url }
            refuse(
                "url",
                "Webhooks may not send to \(url.authority).",
                hint: "Allow it: --hook-hosts \(url.authority)"
            )
        } catch {
            refuse("url", error.message, hint: error.hint)
        }
        return nil
    }

    mutating func texts(_ member: String, among choices: [String]? = nil) -> [String]? {
        guard let value = value(member) else { return nil }
        guard let list = value.array, !list.isEmpty, list.allSatisfy({ $0.string != nil }) else {
            refuse(member, "“\(member)” must be a list of texts.", hint: "Omit it for all.")
            return nil
        }
        let texts = list.compactMap(\.string)
        if let choices, let other = texts.first(where: { !choices.contains($0) }) {
            refuse(
                member,
                "“\(member)” can't have “\(other.printable())”.",
                hint: Spelling.hint(for: other, among: choices) ?? "Use \(Wording.alternatives(choices))."
            )
            return nil
        }
        return texts
    }

    mutating func read<Value>(_ member: String, _ type: SettingType<Value>, into target: inout Value) {
        var optional: Value? = target
        read(member, type, into: &optional)
        if let optional { target = optional }
    }

    mutating func read<Value>(_ member: String, _ type: SettingType<Value>, into target: inout Value?) {
        guard let value = value(member) else { return }
        let word =
            switch value.kind {
            case .string(let text): text
            case .number(let number): "\(number)"
            default: ""
            }
        do throws(InvalidArgument) {
            target = try type.read(word)
        } catch {
            refuse(member, "“\(member)” isn't valid: \(error.reason).")
        }
    }

    /// The secret itself, or that in a file or a variable.
    mutating func secret(besides folder: String, _ environment: [String: String], length: Int) -> [UInt8]? {
        let hint = #"Write "secret": {"file": "PATH"}, {"variable": "NAME"} or a text of at least \#(length) bytes."#
        guard let value = value("secret") else {
            refuse("secret", "The webhook has no “secret”, with which requests are signed.", hint: hint)
            return nil
        }
        let secret: [UInt8]
        if let text = value.string {
            secret = Array(text.utf8)
        } else if value.object?.count == 1, let name = value["file"]?.string {
            let path = name.hasPrefix("/") ? name : "\(folder)/\(name)"
            guard let data = try? Data(contentsOf: URL(filePath: path)) else {
                refuse("secret", "The file “\(path)” of the secret can't be read.")
                return nil
            }
            secret = Array(data).withoutLineBreak
        } else if value.object?.count == 1, let name = value["variable"]?.string {
            guard let text = environment[name] else {
                refuse("secret", "The variable \(name.printable()) of the secret isn't set.")
                return nil
            }
            secret = Array(text.utf8)
        } else {
            refuse("secret", "“secret” is neither a text nor where one is.", hint: hint)
            return nil
        }
        guard secret.count >= length else {
            refuse(
                "secret",
                "The secret has \(secret.count) bytes, fewer than \(length).",
                hint: "Make one: openssl rand -hex 32"
            )
            return nil
        }
        return secret
    }
}

extension [UInt8] {
    /// Without a line break at the end, which editors add.
    fileprivate var withoutLineBreak: [UInt8] {
        var bytes = self
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { bytes.removeLast() }
        return bytes
    }
}
