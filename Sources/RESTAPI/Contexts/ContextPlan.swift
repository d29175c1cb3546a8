// SPDX-License-Identifier: Apache-2.0

// Requests about editing contexts as a whole.

import HTTPMessage
import JSON
import ObjectGraph
import SourceText

/// What is asked of the editing contexts, or of one of them.
enum ContextPlan: Equatable, Sendable {
    case list
    case open(ContextSettings, parent: String?)
    case status(String)
    case end(String)
    case changes(String)
    case events(String)
    case validate(String)
    case save(String, Preferences.Merge?, author: String?)
    case undo(String)
    case redo(String)
    case rollback(String)
    case reset(String)
    case refresh(String, RefreshPlan)
    case document(String)
}

/// What is said of an editing context when it is opened.
struct ContextSettings: Equatable, Sendable {
    var name: String?
    var mergePolicy = Preferences.Merge.error
    var automaticallyMergesChanges = true
}

/// Which objects of a context are to be read anew, and whether their edits are to stay.
struct RefreshPlan: Equatable, Sendable {
    /// Nil for all.
    var objects: [ObjectTarget]?
    var mergesChanges = true
}

extension ContextPlan {
    init(_ request: APIRequest, in api: API) throws(Problem) {
        try request.parameters.refuseOthers(knowing: [])
        switch (request.route, request.method) {
        case (.contexts, .post): self = try Self.opening(request)
        case (.contexts, _): self = .list
        case (.context(let name), .delete): self = .end(name)
        case (.context(let name), _): self = .status(name)
        case (.contextAction(let name, let action), _): self = try Self.action(action, name, request, in: api)
        default: throw Problem(.internal, "A request about no editing context was taken for one.")
        }
    }

    private static func opening(_ request: APIRequest) throws(Problem) -> ContextPlan {
        var body = ContextBody(try request.optionalJSON())
        var settings = ContextSettings()
        settings.name = try body.text("name")
        settings.mergePolicy = try body.choice("mergePolicy") ?? .error
        settings.automaticallyMergesChanges = try body.flag("automaticallyMergesChanges") ?? true
        let parent = try body.text("parent")
        try body.refuseOthers()
        return .open(settings, parent: parent)
    }

    private static func action(
        _ action: Route.ContextAction,
        _ name: String,
        _ request: APIRequest,
        in api: API
    ) throws(Problem) -> ContextPlan {
        guard action != .refresh else { return .refresh(name, try refreshing(request, in: api)) }
        var body = ContextBody(request.method == .post ? try request.optionalJSON() : nil)
        try body.refuseOthers()
        switch action {
        case .changes: return .changes(name)
        case .events: return .events(name)
        case .validate: return .validate(name)
        case .save: return .save(name, request.preferences.merge, author: request.author)
        case .undo: return .undo(name)
        case .redo: return .redo(name)
        case .rollback: return .rollback(name)
        case .reset, .refresh: return .reset(name)
        case .document: return .document(name)
        }
    }

    private static func refreshing(_ request: APIRequest, in api: API) throws(Problem) -> RefreshPlan {
        var body = ContextBody(try request.optionalJSON())
        var plan = RefreshPlan()
        if let ids = try body.texts("ids") {
            plan.objects = try ids.map { (text) throws(Problem) in
                guard let (resource, key) = api.catalogue.parts(ofReference: text) else {
                    throw Problem(.validation, "“\(text.shortened)” is no reference to an object, as posts/42 is.")
                }
                return ObjectTarget(resource: resource, key: key)
            }
        }
        plan.mergesChanges = try body.flag("mergeChanges") ?? true
        try body.refuseOthers()
        return plan
    }
}

/// The members of a body that says what a context is to do.
private struct ContextBody {
    private let json: JSONValue?
    private var known: [String] = []

    init(_ json: JSONValue?) { self.json = json }

    mutating func text(_ name: String) throws(Problem) -> String? {
        guard let value = try member(name) else { return nil }
        if let text = value.string { return text }
        throw Self.wrong(name, "a string", value)
    }

    mutating func flag(_ name: String) throws(Problem) -> Bool? {
        guard let value = try member(name) else { return nil }
        if case .bool(let flag) = value.kind { return flag }
        throw Self.wrong(name, "true or false", value)
    }

    mutating func texts(_ name: String) throws(Problem) -> [String]? {
        guard let value = try member(name) else { return nil }
        guard let elements = value.array else { throw Self.wrong(name, "an array of references", value) }
        return try elements.enumerated().map { (place, element) throws(Problem) in
            if let text = element.string ?? element.object?["_id"]?.string { return text }
            throw Problem(
                .validation,
                "“\(name)” is an array of references, as posts/42 is one, and has \(element.summary) at place \(place), counted from 0."
            )
        }
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(_ name: String) throws(Problem) -> Choice?
    where Choice.RawValue == String {
        guard let text = try text(name) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let choices = Choice.allCases.map(\.rawValue)
        throw Problem(
            .validation,
            "“\(name)” can't be “\(text.shortened)”.",
            hint: Spelling.hint(for: text, among: choices) ?? "It is one of \(choices.joined(separator: ", "))."
        )
    }

    /// Refuses members that nobody has asked for.
    mutating func refuseOthers() throws(Problem) {
        guard let json else { return }
        guard let object = json.object else {
            throw Problem(.validation, "An object is expected, not \(json.summary).")
        }
        guard let other = object.members.first(where: { !known.contains($0.name) }) else { return }
        let hint =
            Spelling.hint(for: other.name, among: known)
            ?? (known.isEmpty ? "Nothing can be said here." : "It takes \(known.joined(separator: ", ")).")
        throw Problem(.validation, "“\(other.name.shortened)” isn't known here.", hint: hint)
    }

    private mutating func member(_ name: String) throws(Problem) -> JSONValue? {
        known.append(name)
        guard let json else { return nil }
        guard let object = json.object else {
            throw Problem(.validation, "An object is expected, not \(json.summary).")
        }
        guard let value = object[name], value.kind != .null else { return nil }
        return value
    }

    private static func wrong(_ name: String, _ expected: String, _ value: JSONValue) -> Problem {
        Problem(.validation, "“\(name)” is \(expected), not \(value.summary).")
    }
}
