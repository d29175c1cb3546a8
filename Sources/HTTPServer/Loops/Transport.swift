// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// What carries the bytes of a connection: its socket, or TLS over it.
enum Transport {
    case plain(Socket)
    case secure(TLSSession, Socket)

    var socket: Socket {
        switch self {
        case .plain(let socket), .secure(_, let socket): socket
        }
    }

    /// The TLS session, or nil.
    var session: TLSSession? {
        switch self {
        case .plain: nil
        case .secure(let session, _): session
        }
    }

    func read(into buffer: inout [UInt8]) -> Socket.Reading {
        switch self {
        case .plain(let socket): return socket.read(into: &buffer)
        case .secure(let session, _):
            switch session.read(into: &buffer) {
            case .bytes(let count): return .bytes(count)
            case .blocked: return .wouldBlock
            case .end: return .end
            case .failed: return .failed
            }
        }
    }

    /// The number of bytes accepted, which may be zero, or nil if the connection is broken. Bytes that weren't accepted must be
    /// the first ones of the next call.
    func write(_ bytes: [UInt8], from offset: Int, isMoreComing: Bool) -> Int? {
        switch self {
        case .plain(let socket): socket.write(bytes, from: offset, isMoreComing: isMoreComing)
        case .secure(let session, _): session.write(bytes, from: offset, isMoreComing: isMoreComing)
        }
    }

    /// Whether there may be input although the socket isn't readable.
    var hasInput: Bool { session?.hasInput ?? false }

    /// Ends the output.
    func endWriting() {
        session?.endWriting()
        socket.endWriting()
    }
}
