// SPDX-License-Identifier: Apache-2.0

// The part of an access file about messages to accounts.

import JSON

extension AccessFileReader {
    /// The receiver's address and the secret are checked by a server, which knows the allowed hosts.
    mutating func readMessages(_ member: Member) -> MessageSettings? {
        guard let members = object(member, knowing: .messages) else { return nil }
        for name in ["url", "secret"] where members[name] == nil { refuse(member, "“\(name)” is missing.") }
        let url = text(members["url"])
        if let secret = members["secret"] { checkSecret(secret) }
        let resetLifetime = seconds(members["resetLifetime"])
        let verifyLifetime = seconds(members["verifyLifetime"])
        guard let url, let secret = members["secret"]?.value else { return nil }
        var settings = MessageSettings(url: url, secret: secret)
        settings.resetLifetime = resetLifetime ?? settings.resetLifetime
        settings.verifyLifetime = verifyLifetime ?? settings.verifyLifetime
        return settings
    }

    /// A text, or an object that says where the secret is.
    private mutating func checkSecret(_ member: Member) {
        let hint = #"Write {"file": "PATH"}, {"variable": "NAME"} or a text of at least 16 bytes."#
        guard member.value.object != nil else {
            if member.value.string == nil {
                refuse(member, "This must be a text or an object, not \(member.value.kindName).", hint: hint)
            }
            return
        }
        guard let members = object(member, knowing: .secret) else { return }
        for place in members.values { _ = text(place) }
        if members.count != 1 { refuse(member, "This must have either “file” or “variable”.", hint: hint) }
    }

    private mutating func seconds(_ member: Member?) -> Int? {
        guard let member else { return nil }
        if let seconds = member.value.int64, Self.lifetimes.contains(Int(seconds)) { return Int(seconds) }
        refuse(
            member,
            "“\(member.name)” must be a number of seconds from \(Self.lifetimes.lowerBound) to \(Self.lifetimes.upperBound)."
        )
        return nil
    }

    /// Of tokens: from a minute to thirty days.
    private static let lifetimes = 60...2_592_000
}
