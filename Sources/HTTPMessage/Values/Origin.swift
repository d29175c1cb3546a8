// SPDX-License-Identifier: Apache-2.0

// The Origin field.

/// A scheme, a host and an optional port: `https://app.example`, `http://localhost:3000`.
public struct Origin: Hashable, Sendable, LosslessStringConvertible {
    /// In lower case.
    public let scheme: String
    /// In lower case, with brackets around an IPv6 address.
    public let host: String
    /// Nil for the scheme's default port.
    public let port: Int?

    /// Parses an origin; nil if malformed. `null` is not accepted, because pages of any site can have it.
    public init?(_ text: String) {
        guard let colon = text.utf8.firstIndex(of: .colon), text[colon...].hasPrefix("://"),
            let authority = Authority(String(text[colon...].dropFirst(3)))
        else { return nil }
        scheme = text[..<colon].lowercased()
        guard scheme.utf8.first?.isLetter == true,
            scheme.utf8.allSatisfy({ $0.isUnreserved || $0 == UInt8(ascii: "+") })
        else { return nil }
        host = authority.host
        port = authority.port == Self.ports[scheme] ? nil : authority.port
    }

    public var description: String { "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "") }

    /// Whether the origin is that of a `Host`. A proxy may terminate TLS, so a missing port is the default port of
    /// the origin's scheme.
    ///
    /// - Parameter isSecure: Whether the server itself speaks TLS. Then pages without TLS, which others in the network can
    ///   change, are those of another site.
    public func isServed(by authority: Authority, isSecure: Bool = false) -> Bool {
        guard let own = Self.ports[scheme], !isSecure || scheme == "https" else { return false }
        return host == authority.host && (port ?? own) == (authority.port ?? own)
    }

    private static let ports = ["http": 80, "https": 443]
}
