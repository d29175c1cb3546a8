// SPDX-License-Identifier: Apache-2.0

// Writes what comes before an answer's body.

extension HTTPResponse {
    /// How the client knows the end of the body.
    public enum Framing: Hashable, Sendable {
        /// There can be no body, and no length is told.
        case none
        /// The length, also of the body that is left out because HEAD was asked for.
        case length(Int)
        case chunked
        /// The connection ends with the body, for HTTP/1.0.
        case untilClose
    }

    /// What is sent where a client waits before it sends a body.
    public static let interimContinue = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Writes the status line, the fields and the empty line behind them. The fields that belong to the connection are written from
    /// what is given here, whatever the answer's own say; the date as it is written, since that is the same for a whole second.
    public func writeHead(
        into output: inout [UInt8],
        framing: Framing,
        isKeepAlive: Bool,
        minorVersion: Int = 1,
        date: [UInt8]
    ) {
        status.writeLine(into: &output)
        fields.write(into: &output, leavingOut: \.belongsToConnection)
        output += "Date: ".utf8
        output += date
        switch framing {
        case .none, .untilClose: break
        case .length(let length):
            output += "\r\nContent-Length: ".utf8
            output += String(length).utf8
        case .chunked: output += "\r\nTransfer-Encoding: chunked".utf8
        }
        if !isKeepAlive || framing == .untilClose {
            output += "\r\nConnection: close".utf8
        } else if minorVersion == 0 {
            output += "\r\nConnection: keep-alive".utf8
        }
        output += "\r\n\r\n".utf8
    }
}

extension ArraySlice<UInt8> {
    /// Whether the bytes are the name of a field that the server writes.
    fileprivate var belongsToConnection: Bool {
        switch count {
        case 4: spells("date")
        case 10: spells("connection")
        case 14: spells("content-length")
        case 17: spells("transfer-encoding")
        default: false
        }
    }
}
