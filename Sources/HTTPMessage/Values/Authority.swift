// SPDX-License-Identifier: Apache-2.0

// The host and port of `Host` and of URLs.

/// A host with an optional port: `localhost:8080`, `[::1]`, `app.example`.
public struct Authority: Hashable, Sendable {
    /// In lower case, with brackets around an IPv6 address.
    public let host: String
    public let port: Int?

    /// Parses an authority; nil if malformed.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)[...]
        guard bytes.isAuthority else { return nil }
        let start = bytes.first == UInt8(ascii: "[") ? bytes.firstIndex(of: UInt8(ascii: "]")) ?? 0 : 0
        let end = bytes[start...].firstIndex(of: .colon) ?? bytes.endIndex
        host = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
        port = bytes[end...].dropFirst().decimal
    }

    /// Whether the host is `localhost` or a loopback address.
    public var isLoopback: Bool { host == "localhost" || host == "[::1]" || isLoopbackIPv4 }

    /// Four numbers are required, since `127.0.0.1.evil.example` can be registered by anyone.
    private var isLoopbackIPv4: Bool {
        guard host.hasPrefix("127.") else { return false }
        if host == "127.0.0.1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && $0.first != "+" }
    }
}
