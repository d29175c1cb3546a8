// SPDX-License-Identifier: Apache-2.0

// The hosts that webhooks may send to.

import HTTPMessage
import RESTAPI

/// A host that is allowed: `receiver.example`, `localhost:9000`, `[::1]`.
struct HookHost: Hashable, Sendable, CustomStringConvertible {
    /// In lower case, with brackets around an IPv6 address.
    private let host: String
    /// Nil for any port.
    private let port: Int?

    /// Nil if the text isn't a host with an optional port.
    init?(_ text: String) {
        let isBareIPv6 = text.utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1 && !text.hasPrefix("[")
        guard let authority = Authority(isBareIPv6 ? "[\(text)]" : text), !authority.host.isEmpty, !text.hasSuffix(":")
        else { return nil }
        host = authority.host
        port = authority.port
    }

    func allows(_ url: HookURL) -> Bool { url.host == host && (port == nil || url.port == port) }

    var description: String { host + (port.map { ":\($0)" } ?? "") }
}
