// SPDX-License-Identifier: Apache-2.0

// The address of a receiver.

import HTTPMessage

/// An address such as `http://127.0.0.1:9000/changes`.
package struct HookURL: Hashable, Sendable, CustomStringConvertible {
    package struct Failure: Error {
        package let message: String
        package let hint: String?
    }

    /// In lower case, with brackets around an IPv6 address.
    package let host: String
    package let port: Int
    /// The path and the query.
    package let target: String

    package init(_ text: String) throws(Failure) {
        guard !text.lowercased().hasPrefix("https://") else {
            throw Failure(
                message: "https isn't supported yet: the server has no TLS.",
                hint: "Use http:// to a receiver on this machine or in a trusted network, or to a local proxy that "
                    + "passes requests on with TLS."
            )
        }
        let example = "Write an address such as http://127.0.0.1:9000/changes."
        guard text.lowercased().hasPrefix("http://") else {
            // Not shown, since the rest may be a secret.
            throw Failure(message: "The address doesn't begin with http://.", hint: example)
        }
        let rest = text.dropFirst("http://".count)
        let place = rest.prefix { !"/?#".contains($0) }
        let target = rest.dropFirst(place.count)
        guard !place.contains("@") else {
            throw Failure(
                message: "The address has a user's name, which isn't sent.",
                hint: "Requests are signed with “secret”."
            )
        }
        guard let authority = Authority(String(place)), !authority.host.isEmpty, !place.hasSuffix(":"),
            (1...65_535).contains(authority.port ?? 80)
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
        port = authority.port ?? 80
        self.target = target.first == "/" ? String(target) : "/" + target
    }

    /// The value of the field `Host`.
    package var authority: String { port == 80 ? host : "\(host):\(port)" }

    /// Without the path and the query, which may have secrets.
    package var description: String { "http://\(authority)/" + (target == "/" ? "" : "…") }
}
