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
    let place: BodyPosition
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
        } else if passwordCount == Self.passwordLimit {
            findings.add(.length, "A request sets at most \(Self.passwordLimit) passwords.", at: place)
        } else {
            setPassword(NewPassword(text: json.string, place: place), of: index)
        }
    }

    /// Hashing a password takes a processor for a while.
    private static let passwordLimit = 20
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
    /// As long as a hash.
    private static let rehearsedHash = String(repeating: "-", count: 90)

    var setsPasswords: Bool { writes.contains { $0.password != nil } }

    /// The plan with the hashes of its passwords as values that the server sets. A rehearsal needs none.
    func hashingPasswords(of accounts: ServedAccounts?) throws -> WritePlan {
        guard let accounts, findings.isEmpty else { return self }
        var plan = self
        for index in plan.writes.indices {
            guard let password = plan.writes[index].password else { continue }
            try WorkLimits.check()
            let hash = try password.text.map { text in
                Value.string(isDryRun ? Self.rehearsedHash : try accounts.accounts.passwords.hash(text))
            }
            plan.writes[index].serverValues[accounts.password] = hash ?? .null
        }
        return plan
    }
}

extension AppliedWrite {
    /// Ends the sessions of accounts with other passwords, when these are saved.
    func endSessions() throws {
        guard let served = api.accounts else { return }
        for (index, write) in plan.writes.enumerated() where write.password != nil && !dropped.contains(index) {
            guard let object = objects[index], keptProperties[index]?.contains(served.password.name) != true else {
                continue
            }
            try served.accounts.sessions.endAll(of: object.objectID.uri, now: served.accounts.now())
        }
    }
}
