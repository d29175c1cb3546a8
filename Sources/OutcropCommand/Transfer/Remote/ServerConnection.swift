// SPDX-License-Identifier: Apache-2.0

// A persistent connection to a server.

import Cryptography
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
    /// TLS over the socket, or nil.
    private let session: TLSSession?
    private var buffer: [UInt8] = []
    private var index = 0

    /// The timeout of a silent server, in seconds.
    private static let patience = 120

    init(_ url: ServerURL) throws(Failure) {
        descriptor = try Self.openSocket(to: url)
        do throws(Failure) {
            session = url.isSecure ? try Self.session(on: descriptor, with: url.host) : nil
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    private static func openSocket(to url: ServerURL) throws(Failure) -> CInt {
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
                var time = timeval(tv_sec: Self.patience, tv_usec: 0)
                unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
                unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
                return descriptor
            }
            reason = Self.latestReason
            if descriptor >= 0 { close(descriptor) }
            unsafe next = address.ai_next
        }
        throw Failure(reason: reason)
    }

    /// Establishes TLS with a server whose certificate is valid. The socket doesn't block from then on.
    private static func session(on descriptor: CInt, with host: String) throws(Failure) -> TLSSession {
        guard let client = try? TLSClient(), let session = client.session(on: descriptor, with: host) else {
            throw Failure(reason: "there is no memory for TLS")
        }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        while true {
            switch session.handshake() {
            case .done: return session
            case .needsInput: try wait(for: POLLIN, on: descriptor)
            case .needsOutput: try wait(for: POLLOUT, on: descriptor)
            case .failed(let reason): throw Failure(reason: "TLS fails: \(reason)")
            }
        }
    }

    private static func wait(for events: CInt, on descriptor: CInt) throws(Failure) {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        let count = unsafe poll(&entry, 1, CInt(patience * 1_000))
        guard count != 0 else { throw Failure(reason: "it doesn't answer") }
        guard count > 0 || errno == EINTR else { throw Failure(reason: latestReason) }
    }

    private func send(_ bytes: [UInt8], over session: TLSSession) throws(Failure) {
        var sent = 0
        while true {
            guard let count = session.write(bytes, from: sent, isMoreComing: false) else {
                throw Failure(reason: "it closed the connection")
            }
            sent += count
            guard sent < bytes.count else { return }
            try Self.wait(for: POLLOUT, on: descriptor)
        }
    }

    func send(_ bytes: [UInt8]) throws(Failure) {
        if let session { return try send(bytes, over: session) }
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
            guard let count = try receive(into: &piece) else { continue }
            guard count > 0 else { return false }
            buffer.removeSubrange(..<index)
            index = 0
            buffer += piece[..<count]
            return true
        }
    }

    /// The number of bytes, which is zero at the end, or nil if the call must be repeated.
    private func receive(into piece: inout [UInt8]) throws(Failure) -> Int? {
        guard let session else {
            let count = unsafe piece.withUnsafeMutableBytes {
                unsafe Glibc.recv(descriptor, $0.baseAddress, $0.count, 0)
            }
            if count < 0, errno == EINTR { return nil }
            guard count >= 0 else { throw Failure(reason: Self.latestReason) }
            return count
        }
        switch session.read(into: &piece) {
        case .bytes(let count): return count
        case .blocked:
            try Self.wait(for: POLLIN, on: descriptor)
            return nil
        case .end: return 0
        case .failed: throw Failure(reason: "the connection failed, or was closed without the end of TLS")
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
