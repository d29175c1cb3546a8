// SPDX-License-Identifier: Apache-2.0

// A persistent connection to a server.

import Glibc

/// A socket and its received bytes.
///
/// Safe: pointers are valid for one call.
@safe
final class ServerConnection {
    struct Failure: Error {
        let reason: String
    }

    private let descriptor: CInt
    private var buffer: [UInt8] = []
    private var index = 0

    /// The timeout of a silent server, in seconds.
    private static let patience = 120

    init(_ url: ServerURL) throws(Failure) {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(url.host, "\(url.port)", &hints, &list)
        guard result == 0 else { throw Failure(reason: unsafe String(cString: gai_strerror(result))) }
        defer { unsafe freeaddrinfo(list) }
        var reason = "there is no such host"
        var next = unsafe list
        while let address = unsafe next?.pointee {
            let descriptor = unsafe socket(address.ai_family, address.ai_socktype, 0)
            if descriptor >= 0, unsafe connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 {
                self.descriptor = descriptor
                var time = timeval(tv_sec: Self.patience, tv_usec: 0)
                unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
                unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
                return
            }
            reason = Self.latestReason
            if descriptor >= 0 { close(descriptor) }
            unsafe next = address.ai_next
        }
        throw Failure(reason: reason)
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(reason: Self.latestReason) }
            sent += count
        }
    }

    /// Reads a line, without its end.
    func line() throws(Failure) -> String {
        while true {
            if let end = buffer[index...].firstIndex(of: UInt8(ascii: "\n")) {
                var line = buffer[index..<end]
                index = end + 1
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                return String(decoding: line, as: UTF8.self)
            }
            guard buffer.count - index < 64 << 10 else { throw Failure(reason: "a line of its head is too long") }
            guard try receive() else { throw Failure(reason: "it closed the connection") }
        }
    }

    /// Delivers a number of bytes.
    func take(_ count: Int, _ body: ([UInt8]) throws -> Void) throws {
        var rest = count
        while rest > 0 {
            if index == buffer.count, try !receive() { throw Failure(reason: "the answer was truncated") }
            let piece = buffer[index...].prefix(rest)
            index += piece.count
            rest -= piece.count
            try body(Array(piece))
        }
    }

    /// Delivers all bytes up to the end of the connection.
    func takeAll(_ body: ([UInt8]) throws -> Void) throws {
        while true {
            if index == buffer.count, try !receive() { return }
            let piece = Array(buffer[index...])
            index = buffer.count
            try body(piece)
        }
    }

    /// Receives more bytes; false at the end.
    private func receive() throws(Failure) -> Bool {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes {
                unsafe Glibc.recv(descriptor, $0.baseAddress, $0.count, 0)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(reason: Self.latestReason) }
            guard count > 0 else { return false }
            buffer.removeSubrange(..<index)
            index = 0
            buffer += piece[..<count]
            return true
        }
    }

    private static var latestReason: String {
        switch errno {
        case EAGAIN: "it doesn't answer"
        case ECONNREFUSED: "no server listens there"
        case let code: unsafe String(cString: strerror(code))
        }
    }
}
