// SPDX-License-Identifier: Apache-2.0

/// An address to listen at, in textual form.
///
///     ListenAddress("[::1]:8080")
///     ListenAddress("unix:/run/outcrop.sock")
package enum ListenAddress: Hashable, Sendable, LosslessStringConvertible {
    /// A host name or address with a port. Port 0 selects a free port; host `*` means all addresses of the machine.
    case tcp(host: String, port: Int)
    /// A socket in the file system, with its permissions, such as 0o660.
    case unix(path: String, mode: Int = 0o660)
    /// The sockets passed by the process that started this one, such as systemd.
    case activated

    package init?(_ text: String) {
        if text == "systemd" {
            self = .activated
        } else if text.hasPrefix("unix:") || text.hasPrefix("/") {
            let path = text.hasPrefix("/") ? text : String(text.dropFirst(5))
            guard !path.isEmpty else { return nil }
            self = .unix(path: path)
        } else {
            guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
                let host = Self.host(text[..<colon])
            else { return nil }
            self = .tcp(host: host, port: Int(port))
        }
    }

    package var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path, _): "unix:" + path
        case .activated: "systemd"
        }
    }

    /// The port of TCP.
    package var port: Int? {
        switch self {
        case .tcp(_, let port): port
        case .unix, .activated: nil
        }
    }

    /// Whether the address, judged by its name, is reachable from this machine only.
    package var isLocal: Bool {
        switch self {
        case .tcp(let host, _):
            host == "localhost" || host == "::1"
                || host.hasPrefix("127.") && host.allSatisfy { $0.isASCII && $0.isNumber || $0 == "." }
        case .unix: true
        case .activated: false
        }
    }

    private static func host(_ text: Substring) -> String? {
        if text.hasPrefix("["), text.hasSuffix("]") { return String(text.dropFirst().dropLast()) }
        return text.isEmpty || text.contains(":") ? nil : String(text)
    }
}
