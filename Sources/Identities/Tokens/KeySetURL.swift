// SPDX-License-Identifier: Apache-2.0

import SourceText

/// The URLs from which keys may be fetched: `https`, and a host that is allowed.
enum KeySetURL {
    private static let scheme = "https://"

    static func check(_ url: String, allowing hosts: [String]) throws(IdentityError) {
        guard url.utf8.count <= 2_048, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !url.contains("\\") else {
            throw forbidden("The URL of keys has characters that a URL can't have, or too many.")
        }
        guard url.lowercased().hasPrefix(scheme) else {
            throw forbidden("Keys are only fetched from URLs that begin with \(scheme)")
        }
        let rest = url.dropFirst(scheme.count)
        let authority = rest.prefix { !"/?#".contains($0) }.lowercased()
        guard !authority.isEmpty, !authority.contains("@"), !rest.contains("#") else {
            throw forbidden("The URL of keys may have neither a user nor a fragment, and must have a host.")
        }
        let name = withoutStandardPort(authority)
        guard hosts.contains(where: { withoutStandardPort($0.lowercased()) == name }) else {
            throw IdentityError(
                .forbiddenURL,
                "Keys may not be fetched from \(name).",
                hint: hosts.isEmpty
                    ? "No host is allowed." : "Allowed: \(hosts.map { $0.printable() }.joined(separator: ", "))."
            )
        }
    }

    private static func withoutStandardPort(_ authority: String) -> String {
        authority.hasSuffix(":443") ? String(authority.dropLast(4)) : authority
    }

    private static func forbidden(_ message: String) -> IdentityError {
        IdentityError(.forbiddenURL, message.asSentenceEnd, hint: "Such as https://id.example/jwks.json")
    }
}
