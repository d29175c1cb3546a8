// SPDX-License-Identifier: Apache-2.0

// The address of a server on a command line.

import Arguments

/// An address such as `http://localhost:8080` or `https://app.example`.
struct ServerURL: ArgumentValue, Hashable {
    let argument: String
    let isSecure: Bool
    let host: String
    let port: Int

    init(argument: String) throws(InvalidArgument) {
        self.argument = argument
        guard let scheme = ["https://", "http://"].first(where: { argument.hasPrefix($0) }) else {
            throw InvalidArgument("expected an address with https:// or http://")
        }
        isSecure = scheme == "https://"
        var rest = argument.dropFirst(scheme.count)
        while rest.last == "/" { rest.removeLast() }
        guard !rest.contains(where: { "/?#@".contains($0) }) else {
            throw InvalidArgument("expected a host and a port, as in http://localhost:8080")
        }
        var port = isSecure ? "443" : "80"
        if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
            port = String(rest[rest.index(after: colon)...])
            rest = rest[..<colon]
        }
        if rest.first == "[", rest.last == "]" { rest = rest.dropFirst().dropLast() }
        guard let number = Int(port), (1...65_535).contains(number), !rest.isEmpty else {
            throw InvalidArgument("expected a host and a port, as in http://localhost:8080")
        }
        host = String(rest)
        self.port = number
    }
}
