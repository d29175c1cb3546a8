// SPDX-License-Identifier: Apache-2.0

// Reads the file of webhooks.

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
        var reader = HookMembers(object: object, places: places, place: place)
        let name = reader.name()
        let url = reader.url(allowing: hosts)
        let folder = URL(filePath: path).deletingLastPathComponent().path
        let secret = reader.secret(HookSecret(folder: folder, environment: environment))
        let entities = reader.texts("entities")
        let kinds = reader.texts("kinds", among: Self.kinds.keys.sorted())
        let predicate = reader.text("predicate")
        var limits = HookLimits()
        reader.readTime("timeout", into: &limits.timeout)
        reader.readTime("maximumDelay", into: &limits.maximumDelay)
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
