// SPDX-License-Identifier: Apache-2.0

// Expectations of access rules.

package import Identities
package import JSON
package import SourceText

/// What an identity is expected to be permitted.
///
///     {"as": {"roles": ["member"], "claims": {"sub": "anna"}}, "may": "read", "object": "posts/1", "expect": true}
package struct AccessExpectation: Sendable {
    package enum Subject: Sendable {
        case object(String)
        case entity(String)
    }

    package let position: TextPosition?
    package let name: String?
    /// Nil for those of the account.
    package let roles: Set<String>?
    package let claims: JSONObject
    /// The account, such as `users/1`, or nil.
    package let user: String?
    package let verb: AccessVerb
    package let subject: Subject
    package let isExpected: Bool

    private static let members = ["name", "as", "may", "object", "entity", "expect"]
    private static let identityMembers = ["roles", "claims", "user"]

    /// Reads a list of expectations. Throws all mistakes; the path of one is the number of the expectation.
    package static func list(_ value: JSONValue) throws(AccessProblems) -> [AccessExpectation] {
        guard let list = value.array else {
            throw AccessProblems([AccessProblem("Expectations must be a list, not \(value.kindName).")])
        }
        var problems: [AccessProblem] = []
        let expectations = list.enumerated().compactMap { number, value -> AccessExpectation? in
            do throws(AccessProblem) {
                return try AccessExpectation(value, at: "\(number)")
            } catch {
                problems.append(error)
                return nil
            }
        }
        guard problems.isEmpty else { throw AccessProblems(problems) }
        return expectations
    }

    private init(_ value: JSONValue, at path: String) throws(AccessProblem) {
        func refuse(_ message: String, hint: String? = nil) -> AccessProblem {
            AccessProblem(message, at: path, position: value.position, hint: hint)
        }
        guard let object = value.object else {
            throw refuse("An expectation must be an object, not \(value.kindName).")
        }
        func check(_ object: JSONObject, _ known: [String]) throws(AccessProblem) {
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
        position = value.position
        name = object["name"]?.string
        self.roles = user != nil && identity["roles"] == nil ? nil : Set(roles)
        claims = identity["claims"]?.object ?? JSONObject()
        self.verb = verb
        self.isExpected = isExpected
    }

    /// `member may read posts/1`
    package var sentence: String {
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
