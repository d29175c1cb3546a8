// SPDX-License-Identifier: Apache-2.0

// The site that a page is from, as browsers tell it.

/// `https://app.example`, `http://localhost:3000`: a scheme, a host and a port, and nothing behind them.
public struct Origin: Hashable, Sendable, LosslessStringConvertible {
    /// In lower case.
    public let scheme: String
    /// In lower case; an IPv6 address stands in brackets.
    public let host: String
    /// Nil where it is the scheme's own.
    public let port: Int?

    /// Reads an origin; nil where the text is none, as `null` isn't, which any site's pages can have.
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

    /// Whether its pages come from what a `Host` names. A proxy may speak TLS for a server that knows nothing of it, so that a port
    /// that isn't named is the one of the origin's own scheme.
    public func isServed(by authority: Authority) -> Bool {
        guard let own = Self.ports[scheme] else { return false }
        return host == authority.host && (port ?? own) == (authority.port ?? own)
    }

    private static let ports = ["http": 80, "https": 443]
}
