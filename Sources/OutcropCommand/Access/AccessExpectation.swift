// SPDX-License-Identifier: Apache-2.0

// Expectations of access rules, from a file.

import FoundationEssentials
import Identities
import JSON
import SourceText

/// What an identity is expected to be permitted.
///
///     {"as": {"roles": ["member"], "claims": {"sub": "anna"}}, "may": "read", "object": "posts/1", "expect": true}
struct AccessExpectation {
    enum Subject {
        case object(String)
        case entity(String)
    }

    let place: String
    let name: String?
    /// Nil for those of the account.
    let roles: Set<String>?
    let claims: JSONObject
    /// The account, such as `users/1`, or nil.
    let user: String?
    let verb: AccessVerb
    let subject: Subject
    let isExpected: Bool

    private static let members = ["name", "as", "may", "object", "entity", "expect"]
    private static let identityMembers = ["roles", "claims", "user"]

    /// Reads a list of expectations. Throws all mistakes.
    static func list(in path: String) throws -> [AccessExpectation] {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw Failure("The file can't be read.", code: nil, file: path)
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: Array(data), allowingComments: true)
        } catch {
            throw Failure(error.message, code: nil, file: "\(path):\(error.position)")
        }
        guard let list = value.array else {
            throw Failure("Expectations must be a list, not \(value.kindName).", code: nil, file: path)
        }
        var problems: [SettingProblem] = []
        let expectations = list.compactMap { value -> AccessExpectation? in
            do throws(SettingProblem) {
                return try AccessExpectation(value, in: path)
            } catch {
                problems.append(error)
                return nil
            }
        }
        guard problems.isEmpty else { throw Failure(problems.map(\.line).joined(separator: "\noutcrop: ")) }
        return expectations
    }

    private init(_ value: JSONValue, in path: String) throws(SettingProblem) {
        let place = "\(path):" + (value.position.map { "\($0)" } ?? "")
        func refuse(_ message: String, hint: String? = nil) -> SettingProblem {
            SettingProblem(place: place, message: message, hint: hint)
        }
        guard let object = value.object else {
            throw refuse("An expectation must be an object, not \(value.kindName).")
        }
        func check(_ object: JSONObject, _ known: [String]) throws(SettingProblem) {
            guard let other = object.names.first(where: { !known.contains($0) }) else { return }
            throw refuse(
                "There is no “\(other.printable())” here.",
                hint: Spelling.hint(for: other, among: known) ?? "Known: \(known.joined(separator: ", "))."
            )
        }
        try check(object, Self.members)
        let identity = object["as"]?.object ?? JSONObject()
        try check(identity, Self.identityMembers)
        user = identity["user"]?.string
        guard identity["user"] == nil || user != nil else {
            throw refuse("“user” must be an account.", hint: #"Write "user": "users/1"."#)
        }
        let roles = identity["roles"]?.array?.compactMap(\.string) ?? []
        guard roles.count == identity["roles"]?.array?.count ?? 0, object["as"]?.object != nil else {
            throw refuse(
                "“as” must have “roles”, a list of names, or “user”, an account.",
                hint: #"Write "as": {"roles": ["member"]}."#
            )
        }
        guard let verb = object["may"]?.string.flatMap(AccessVerb.init) else {
            throw refuse("“may” must be read, create, update or delete.")
        }
        guard let isExpected = object["expect"]?.bool else { throw refuse("“expect” must be true or false.") }
        switch (object["object"]?.string, object["entity"]?.string) {
        case (let name?, nil) where verb != .create: subject = .object(name)
        case (nil, let name?) where verb == .create: subject = .entity(name)
        default:
            throw refuse(
                verb == .create
                    ? "A creation is expected of an “entity”." : "“\(verb.rawValue)” is expected of an “object”.",
                hint: verb == .create ? #"Write "entity": "Post"."# : #"Write "object": "posts/1"."#
            )
        }
        self.place = place
        name = object["name"]?.string
        self.roles = user != nil && identity["roles"] == nil ? nil : Set(roles)
        claims = identity["claims"]?.object ?? JSONObject()
        self.verb = verb
        self.isExpected = isExpected
    }

    /// `member may read posts/1`
    var sentence: String {
        let subject =
            switch subject {
            case .object(let name), .entity(let name): name
            }
        let title = name.map { "\($0): " } ?? ""
        let names = roles.map { $0.isEmpty ? "no role" : $0.sorted().joined(separator: ",") }
        let identity = [user, names].compactMap(\.self).joined(separator: " as ")
        return "\(title)\(identity) \(isExpected ? "may" : "may not") \(verb.rawValue) \(subject)"
    }
}
