// SPDX-License-Identifier: Apache-2.0

// Identities of tests, by credentials that say what they are.

import AccessRules
import HTTPMessage
import JSON

@testable import RESTAPI

/// Accepts `Bearer ROLE,ROLE EMAIL` as an identity with these roles and the claim `email`. One with the role `shared` can't be
/// told from others.
struct NamedRoles: Authenticator {
    func identity(of request: HTTPRequest) throws(InvalidCredential) -> Identity? {
        guard let field = request.fields[.authorization] else { return nil }
        let words = field.split(separator: " ").map(String.init)
        guard words.first == "Bearer", words.count > 1, !words[1].contains(".") else {
            throw InvalidCredential("It names no role.")
        }
        let claims: JSONObject = words.count > 2 ? ["email": .string(words[2])] : [:]
        let name = words.dropFirst().joined(separator: " ")
        let roles = Set(words[1].split(separator: ",").map(String.init))
        return Identity(name: name, roles: roles, claims: claims, subject: roles.contains("shared") ? nil : name)
    }
}

extension APIWorld {
    /// Sends a request as an identity: `member anna@example.org`, or nil for none.
    func send(
        as identity: String?,
        _ method: HTTPMethod,
        _ target: String,
        _ json: String? = nil,
        fields: HeaderFields = HeaderFields()
    ) throws -> Answer {
        var fields = fields
        if let identity { fields[.authorization] = "Bearer \(identity)" }
        return try send(method, target, json, fields: fields)
    }

    /// The values of a property of a list, as an identity gets it.
    func list(as identity: String?, _ target: String, _ property: String = "title") throws -> [String] {
        let answer = try send(as: identity, .get, target)
        guard let items = answer["items"]?.array else { return ["\(answer.status) \(answer.text)"] }
        return items.map { $0[property]?.string ?? "–" }
    }
}
