// SPDX-License-Identifier: Apache-2.0

// Reads the bodies of requests about accounts.

import HTTPMessage
import JSON
import SourceText

/// The members of a body, and the findings in them. Values are never in findings, since they may be secrets.
struct AccountBody {
    private(set) var object = JSONObject()
    private(set) var findings = Findings()
    private var known: [String] = []

    static let place = BodyPosition(object: "account")

    init(_ request: APIRequest) throws(Problem) {
        guard let json = try request.optionalJSON() else { return }
        if let object = json.object {
            self.object = object
        } else {
            findings.add(.type, "An object is expected, not \(json.kindName).", at: Self.place)
        }
    }

    /// A text that must be there; empty with a finding.
    mutating func text(_ name: String, limit: Int = AccountPasswords.maximumSize) -> String {
        known.append(name)
        guard let value = object[name], !value.isNull else {
            findings.add(.type, "“\(name)” is missing.", at: Self.place.member(name))
            return ""
        }
        let place = Self.place.member(name, value)
        guard let text = value.string else {
            findings.add(.type, "“\(name)” must be a text.", at: place)
            return ""
        }
        guard !text.isEmpty else {
            findings.add(.type, "“\(name)” is empty.", at: place)
            return ""
        }
        guard text.utf8.count <= limit else {
            findings.add(.length, "“\(name)” has more than \(limit) bytes.", at: place)
            return ""
        }
        return text
    }

    /// The name of a new account.
    mutating func accountName(_ name: String) -> String {
        let text = text(name)
        if !text.isEmpty, let mistake = AccountName.mistake(in: text) {
            findings.add(.type, "“\(name)” \(mistake).", at: Self.place.member(name, object[name]))
        }
        return text
    }

    /// A password to be set.
    mutating func newPassword(_ name: String) -> String {
        let text = text(name)
        if !text.isEmpty, text.count < AccountPasswords.minimumLength {
            let message = "“\(name)” must have at least \(AccountPasswords.minimumLength) characters."
            findings.add(.short, message, at: Self.place.member(name, object[name]))
        }
        return text
    }

    mutating func flag(_ name: String) -> Bool {
        known.append(name)
        guard let value = object[name], !value.isNull else { return false }
        if let flag = value.bool { return flag }
        findings.add(.type, "“\(name)” must be true or false.", at: Self.place.member(name, value))
        return false
    }

    /// Refuses members that weren't read, and throws all findings.
    mutating func check() throws(Problem) {
        for member in object.members where !known.contains(member.name) {
            findings.add(
                .unknown,
                "The member “\(member.name.shortened)” is unknown.",
                hint: Spelling.hint(for: member.name, among: known)
                    ?? "Known members: \(known.joined(separator: ", ")).",
                at: Self.place.member(member.name, member.value)
            )
        }
        try findings.check()
    }
}
