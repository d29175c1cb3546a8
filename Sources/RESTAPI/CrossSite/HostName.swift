// SPDX-License-Identifier: Apache-2.0

// The names by which a server is asked.

import HTTPMessage

/// A name or an address of the server, without a port: `app.example`, `192.168.1.5`, `[fd00::1]`; or `*`, which is any.
package struct HostName: Hashable, Sendable, LosslessStringConvertible {
    /// In lower case; an IPv6 address stands in brackets.
    package let description: String

    /// Whatever clients call the server: right behind a proxy that has looked at the name.
    package static let any = HostName(unchecked: "*")

    private init(unchecked text: String) { description = text }

    /// Nil where the text is no host's name, or has a port.
    package init?(_ text: String) {
        if text == "*" {
            self = .any
            return
        }
        let isBareIPv6 = text.utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1 && !text.hasPrefix("[")
        guard let authority = Authority(isBareIPv6 ? "[\(text)]" : text), authority.port == nil,
            !text.hasSuffix(":")
        else { return nil }
        description = authority.host
    }
}
