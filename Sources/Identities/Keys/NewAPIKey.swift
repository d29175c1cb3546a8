// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import SourceText

/// The parameters of a key to be added.
package struct NewAPIKey: Sendable {
    package var name: String?
    package var roles: [String]
    package var grants: [String: Set<AccessVerb>]
    package var expires: Date?

    package init(
        name: String? = nil,
        roles: [String] = [],
        grants: [String: Set<AccessVerb>] = [:],
        expires: Date? = nil
    ) {
        self.name = name
        self.roles = roles
        self.grants = grants
        self.expires = expires
    }

    func check(now: Date) throws(IdentityError) {
        if let name, !name.isKeyName {
            throw IdentityError(
                .invalidKey,
                "“\(name.printable())” can't be a key's name.",
                hint: "Use up to 64 letters, digits, -, _ and ., the first a letter or a digit."
            )
        }
        if let role = roles.first(where: { !$0.isRoleName }) {
            throw IdentityError(
                .invalidKey,
                "“\(role.printable())” can't be a role's name.",
                hint: "Use up to 64 characters without spaces."
            )
        }
        guard !roles.isEmpty || !grants.isEmpty else {
            throw IdentityError(
                .invalidKey,
                "The key has neither a role nor an entity, and could do nothing.",
                hint: "Give it a role, or verbs for an entity."
            )
        }
        if let entity = grants.keys.sorted().first(where: { grants[$0]?.isEmpty ?? true || !$0.isEntityName }) {
            throw IdentityError(
                .invalidKey,
                grants[entity]?.isEmpty ?? true
                    ? "The key has no verb for “\(entity.printable())”."
                    : "“\(entity.printable())” can't be an entity's name."
            )
        }
        guard let expires else { return }
        guard DateText.text(expires) != nil, expires > now else {
            throw IdentityError(
                .invalidKey,
                DateText.text(expires).map { "The key would have expired already, at \($0)." }
                    ?? "The key would expire after the year 9999.",
                hint: "Give a date in the future."
            )
        }
    }
}

extension String {
    /// Whether it can be a key's name.
    var isKeyName: Bool {
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: false
            }
        }
        guard (1...64).contains(utf8.count), let first = utf8.first, isAlphanumeric(first) else { return false }
        return utf8.allSatisfy { isAlphanumeric($0) || "-_.".utf8.contains($0) }
    }

    /// Whether it can be a role's name.
    var isRoleName: Bool { (1...64).contains(count) && isOneWord }

    /// Whether it can be an entity's name.
    var isEntityName: Bool { (1...256).contains(count) && isOneWord }

    private var isOneWord: Bool {
        unicodeScalars.allSatisfy { !$0.properties.isWhitespace } && printable() == self
    }
}
