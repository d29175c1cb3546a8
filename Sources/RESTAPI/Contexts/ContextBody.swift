// SPDX-License-Identifier: Apache-2.0

// Bodies of requests that concern editing contexts as a whole.

import HTTPMessage
import JSON
import ObjectGraph
import SourceText

/// The settings of an editing context, given when it is opened.
struct ContextSettings: Equatable, Sendable {
    /// The maximum length of a name in UTF-16 code units.
    static let nameLimit = 200

    var name: String?
    var mergePolicy = Preferences.Merge.error
    var automaticallyMergesChanges = true
    /// The owner of the identity that it belongs to; nil if it belongs to all that administer.
    var owner: String?
    /// The roles whose identities may use it too.
    var sharedWith: [String] = []

    /// Whether an identity may use the context; nil for one that everything is permitted.
    func admits(_ access: Access?) -> Bool {
        guard let access else { return true }
        // An identity without an owner owns nothing.
        let isOwner = owner != nil && owner == access.identity.owner
        return isOwner || sharedWith.contains(where: access.roles.contains)
    }

    /// The settings in a body, and the context below which one is opened.
    static func opening(
        _ request: APIRequest,
        in api: API
    ) throws(Problem) -> (settings: ContextSettings, parent: String?) {
        var body = try ContextBody(request)
        var settings = ContextSettings()
        settings.owner = try api.access?.ownerOfDrafts
        settings.sharedWith = body.roles("sharedWith", among: api.roleNames)
        settings.name = body.text("name", limit: nameLimit)
        settings.mergePolicy = body.choice("mergePolicy") ?? .error
        settings.automaticallyMergesChanges = body.flag("automaticallyMergesChanges") ?? true
        let parent = body.text("parent")
        try body.check()
        return (settings, parent)
    }
}

extension Access {
    /// The owner of the drafts that the identity opens. Throws if others couldn't be told from it.
    fileprivate var ownerOfDrafts: String {
        get throws(Problem) {
            if let owner = identity.owner { return owner }
            throw identity.isAnonymous
                ? Problem(
                    .forbidden,
                    "A draft belongs to the identity that opens it, and the request has no credential.",
                    hint: "Send “Authorization: Bearer” with a key or a token."
                )
                : Problem(
                    .forbidden,
                    "A draft belongs to the identity that opens it, and the token doesn't say whose it is: it has no “sub”.",
                    hint: "Let the issuer put “sub” into its tokens, or use an API key."
                )
        }
    }
}

/// Which objects of a context to refresh, and whether to keep their edits.
struct RefreshPlan: Equatable, Sendable {
    struct Target: Equatable, Sendable {
        let object: ObjectLocation
        /// The position in the body.
        let place: BodyPosition
    }

    /// Nil for all objects.
    var targets: [Target]?
    var mergesChanges = true

    init(_ request: APIRequest, in api: API) throws(Problem) {
        var body = try ContextBody(request)
        targets = body.targets("ids", in: api.catalogue)
        mergesChanges = body.flag("mergeChanges") ?? true
        try body.check()
    }
}

/// Reads the members of a context request's body, collecting all findings.
struct ContextBody {
    private let object: JSONObject?
    private let place = BodyPosition(object: "context")
    private var known: [String] = []
    private var findings = Findings()

    init(_ request: APIRequest) throws(Problem) {
        let json = try request.optionalJSON()
        object = json?.object
        guard let json, object == nil else { return }
        findings.add(
            .type,
            "An object is expected, not \(json.summary).",
            at: BodyPosition(object: "context", position: json.position)
        )
    }

    /// - Parameter limit: The maximum length in UTF-16 code units.
    mutating func text(_ name: String, limit: Int = .max) -> String? {
        guard let value = member(name) else { return nil }
        guard let text = value.string else {
            refuse(name, expecting: "a string", not: value)
            return nil
        }
        if text.utf16.count > limit {
            findings.add(.length, "“\(name)” has more than \(limit) characters.", at: place.member(name, value))
        }
        return text
    }

    mutating func texts(_ name: String) -> [String]? {
        guard let value = member(name) else { return nil }
        guard let texts = value.array?.map(\.string), !texts.contains(nil) else {
            refuse(name, expecting: "an array of strings", not: value)
            return nil
        }
        return texts.compactMap(\.self)
    }

    /// The names of roles.
    ///
    /// - Parameter known: The roles that there are; nil without access rules.
    mutating func roles(_ name: String, among known: Set<String>?) -> [String] {
        let roles = texts(name) ?? []
        guard let known, let value = object?[name] else { return roles }
        for (index, role) in roles.enumerated() where !known.contains(role) {
            findings.add(
                .reference,
                "There is no role “\(role.shortened)”.",
                hint: Spelling.hint(for: role, among: known.sorted()),
                at: place.member(name, value).part("\(index)", value.array?[index])
            )
        }
        return roles
    }

    mutating func flag(_ name: String) -> Bool? {
        guard let value = member(name) else { return nil }
        if case .bool(let flag) = value.kind { return flag }
        refuse(name, expecting: "true or false", not: value)
        return nil
    }

    /// The objects that references name.
    mutating func targets(_ name: String, in catalogue: Catalogue) -> [RefreshPlan.Target]? {
        guard let value = member(name) else { return nil }
        guard let elements = value.array else {
            refuse(name, expecting: "an array of references", not: value)
            return nil
        }
        return elements.enumerated().compactMap { place, element in
            let here = self.place.member(name, value).part("\(place)", element)
            guard let text = element.string ?? element.object?["_id"]?.string else {
                findings.add(.type, "A reference must be a string such as posts/42, not \(element.summary).", at: here)
                return nil
            }
            guard let (resource, key) = catalogue.parts(ofReference: text) else {
                let message = "“\(text.shortened)” isn't a reference such as posts/42."
                findings.add(.reference, message, at: here)
                return nil
            }
            return RefreshPlan.Target(object: ObjectLocation(resource: resource, key: key), place: here)
        }
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(_ name: String) -> Choice?
    where Choice.RawValue == String {
        guard let value = member(name), let text = text(name) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let choices = Choice.allCases.map(\.rawValue)
        findings.add(
            .type,
            "“\(name)” can't be “\(text.shortened)”.",
            hint: Spelling.hint(for: text, among: choices) ?? "Use one of \(choices.joined(separator: ", ")).",
            at: place.member(name, value)
        )
        return nil
    }

    /// Refuses members that weren't read, and throws all findings.
    func check() throws(Problem) {
        var findings = findings
        for member in object?.members ?? [] where !known.contains(member.name) {
            let hint =
                Spelling.hint(for: member.name, among: known)
                ?? (known.isEmpty ? "The body has no members." : "Known members: \(known.joined(separator: ", ")).")
            let message = "The member “\(member.name.shortened)” is unknown."
            findings.add(.unknown, message, hint: hint, at: place.member(member.name, member.value))
        }
        try findings.check()
    }

    private mutating func member(_ name: String) -> JSONValue? {
        if !known.contains(name) { known.append(name) }
        guard let value = object?[name], value.kind != .null else { return nil }
        return value
    }

    private mutating func refuse(_ name: String, expecting expected: String, not value: JSONValue) {
        findings.add(.type, "“\(name)” must be \(expected), not \(value.summary).", at: place.member(name, value))
    }
}
