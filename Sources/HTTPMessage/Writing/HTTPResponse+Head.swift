// SPDX-License-Identifier: Apache-2.0

// Encoding of a response's head.

extension HTTPResponse {
    /// How the client determines the end of the body.
    public enum Framing: Hashable, Sendable {
        /// No body and no length.
        case none
        /// A known length, also that of a body omitted for HEAD.
        case length(Int)
        case chunked
        /// The connection closes after the body, for HTTP/1.0.
        case untilClose
    }

    /// Sent to a client that waits before it sends a body.
    public static let interimContinue = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Writes the status line, the fields and the empty line. Fields of the connection are written from the
    /// parameters, and ignored in `fields`; the date is passed as bytes because it is the same for a second.
    public func writeHead(
        into output: inout [UInt8],
        framing: Framing,
        isKeepAlive: Bool,
        minorVersion: Int = 1,
        date: [UInt8]
    ) {
        status.writeLine(into: &output)
        fields.write(into: &output, leavingOut: \.isWrittenByServer)
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
    fileprivate var isWrittenByServer: Bool {
        switch count {
        case 4: equalsIgnoringCase("date")
        case 10: equalsIgnoringCase("connection")
        case 14: equalsIgnoringCase("content-length")
        case 17: equalsIgnoringCase("transfer-encoding")
        default: false
        }
    }
}
