// SPDX-License-Identifier: Apache-2.0

// Passwords in the objects that those who administer send: the text is hashed, and never shown.

import HTTPMessage
import Identities
import JSON
import ObjectGraph
import ObjectModel
import Predicates

/// The password that a write sets.
struct NewPassword: Equatable, Sendable {
    /// Nil removes the password, so that the account can't sign in.
    let text: String?
}

extension ServedAccounts {
    /// The name of the password's attribute in bodies.
    var passwordMember: String { ResourceProperty.name(of: password.name) }

    /// Whether a member of an object in a body is its password.
    func isPassword(_ name: String, of entity: EntityDescription) -> Bool {
        name == passwordMember && entity.isKind(of: self.entity)
    }
}

extension BodyReader {
    /// Reads the password of an account.
    mutating func readPassword(_ json: JSONValue, of index: Int, at place: BodyPosition, named name: String) {
        if let mistake = AccountPasswords.mistake(in: json, named: name) {
            findings.add(mistake.code, mistake.message, at: place)
        } else {
            setPassword(NewPassword(text: json.string), of: index)
        }
    }
}

extension AccountPasswords {
    /// What is wrong with the value of a password to be set; null removes the password.
    fileprivate static func mistake(in json: JSONValue, named name: String) -> (code: Findings.Code, message: String)? {
        if json.isNull { return nil }
        guard let text = json.string else { return (.type, "“\(name)” must be a text.") }
        guard text.count >= minimumLength else {
            return (.short, "“\(name)” must have at least \(minimumLength) characters.")
        }
        guard text.utf8.count <= maximumSize else { return (.length, "“\(name)” has more than \(maximumSize) bytes.") }
        return nil
    }
}

extension WritePlan {
    /// The plan with the hashes of its passwords as values that the server sets.
    func hashingPasswords(of accounts: ServedAccounts?) throws -> WritePlan {
        guard let accounts, findings.isEmpty else { return self }
        var plan = self
        for index in plan.writes.indices {
            guard let password = plan.writes[index].password else { continue }
            try WorkLimits.check()
            let hash = try password.text.map { Value.string(try accounts.accounts.passwords.hash($0)) }
            plan.writes[index].serverValues[accounts.password] = hash ?? .null
        }
        return plan
    }
}

extension AppliedWrite {
    /// Ends the sessions of accounts with other passwords, when these are saved.
    func endSessions() throws {
        guard let accounts = api.accounts?.accounts else { return }
        for (index, write) in plan.writes.enumerated() where write.password != nil && !dropped.contains(index) {
            guard let object = objects[index] else { continue }
            try accounts.sessions.endAll(of: object.objectID.uri, now: accounts.now())
        }
    }
}
