// SPDX-License-Identifier: Apache-2.0

// The address of a receiver.

import HTTPMessage

/// An address such as `https://receiver.example/changes`.
package struct HookURL: Hashable, Sendable, CustomStringConvertible {
    package struct Failure: Error {
        package let message: String
        package let hint: String?
    }

    /// Whether requests are sent over TLS.
    package let isSecure: Bool
    /// In lower case, with brackets around an IPv6 address.
    package let host: String
    package let port: Int
    /// The path and the query.
    package let target: String

    package init(_ text: String) throws(Failure) {
        let example = "Write an address such as https://receiver.example/changes."
        let schemes = ["https://", "http://"]
        guard let scheme = schemes.first(where: { text.lowercased().hasPrefix($0) }) else {
            // Not shown, since the rest may be a secret.
            throw Failure(message: "The address begins with neither https:// nor http://.", hint: example)
        }
        let rest = text.dropFirst(scheme.count)
        let place = rest.prefix { !"/?#".contains($0) }
        let target = rest.dropFirst(place.count)
        guard !place.contains("@") else {
            throw Failure(
                message: "The address has a user's name, which isn't sent.",
                hint: "Requests are signed with “secret”."
            )
        }
        guard let authority = Authority(String(place)), !authority.host.isEmpty, !place.hasSuffix(":"),
            (1...65_535).contains(authority.port ?? 443)
        else {
            throw Failure(message: "“\(place)” isn't a host with an optional port.", hint: example)
        }
        guard target.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw Failure(
                message: "The address has a fragment, or characters that a request can't have.",
                hint: "Encode them with %, such as %20 for a space."
            )
        }
        host = authority.host
        isSecure = scheme == "https://"
        port = authority.port ?? (isSecure ? 443 : 80)
        self.target = target.first == "/" ? String(target) : "/" + target
    }

    /// The value of the field `Host`.
    package var authority: String { port == (isSecure ? 443 : 80) ? host : "\(host):\(port)" }

    /// Without the path and the query, which may have secrets.
    package var description: String { "\(isSecure ? "https" : "http")://\(authority)/" + (target == "/" ? "" : "…") }
}
