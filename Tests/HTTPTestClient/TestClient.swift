// SPDX-License-Identifier: Apache-2.0

// A client that sends exact bytes, on a socket or over TLS.

package import Cryptography
import Glibc
package import HTTPServer

/// A connection to a server. Sending and reading wait for at most some seconds.
///
/// Safe to use: pointers last for one call.
@safe
package final class TestClient {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    package private(set) var descriptor: CInt
    private var buffer: [UInt8] = []
    /// TLS over the socket, or nil.
    package private(set) var session: TLSSession?
    private let patience: Int

    package init(_ address: ListenAddress, receiveBuffer: Int? = nil, patience: Int = 60) throws {
        switch address {
        case .tcp(let host, let port): descriptor = try Self.connect(host, port, receiveBuffer)
        case .unix(let path, _): descriptor = try Self.connect(path)
        case .activated: throw Failure(description: "no address")
        }
        self.patience = patience
        var time = timeval(tv_sec: patience, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Uses a connected descriptor.
    package init(taking descriptor: CInt) {
        self.descriptor = descriptor
        patience = 60
    }

    /// Begins TLS, and completes its handshake.
    package func secure(_ client: TLSClient, host: String = "localhost") throws {
        guard let session = client.session(on: descriptor, with: host) else { throw Failure(description: "no session") }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        while true {
            switch session.handshake() {
            case .done:
                self.session = session
                return
            case .needsInput: try wait(for: CInt(POLLIN))
            case .needsOutput: try wait(for: CInt(POLLOUT))
            case .failed(let reason): throw Failure(description: reason)
            }
        }
    }

    private func wait(for events: CInt) throws {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        guard unsafe poll(&entry, 1, CInt(patience) * 1_000) == 1 else { throw Failure(description: "nothing happens") }
    }

    deinit { close() }

    package func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    /// Releases the connection, which another client may use between two responses.
    package func release() -> CInt {
        defer { descriptor = -1 }
        return descriptor
    }

    /// Closes the connection with a reset.
    package func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    package func endWriting() {
        session?.endWriting()
        shutdown(descriptor, CInt(SHUT_WR))
    }

    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    package func send(_ bytes: [UInt8]) throws {
        if let session { return try send(bytes, over: session) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(description: "sending fails with error \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    private func send(_ bytes: [UInt8], over session: TLSSession) throws {
        var sent = 0
        while sent < bytes.count {
            guard let count = session.write(bytes, from: sent, isMoreComing: false) else {
                throw Failure(description: "sending fails")
            }
            sent += count
            if sent < bytes.count { try wait(for: CInt(POLLOUT)) }
        }
    }

    /// The number of bytes that the system accepts without waiting, or a negative number if it accepts none.
    package func sendAtOnce(_ bytes: [UInt8]) -> Int {
        if let session {
            let count = session.write(bytes, from: 0, isMoreComing: false) ?? 0
            return count > 0 ? count : -1
        }
        return unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
        }
    }

    /// The next bytes, or none at the end.
    package func receive() throws -> [UInt8] {
        if !buffer.isEmpty {
            defer { buffer = [] }
            return buffer
        }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        if let session {
            while true {
                switch session.read(into: &bytes) {
                case .bytes(let count): return Array(bytes[..<count])
                case .blocked: try wait(for: CInt(POLLIN))
                case .end: return []
                case .failed: throw Failure(description: "receiving fails")
                }
            }
        }
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw Failure(description: "receiving fails with error \(errno)") }
        return Array(bytes[..<count])
    }

    /// All bytes until the end, as text.
    package func receiveAll() throws -> String {
        var all: [UInt8] = []
        while case let bytes = try receive(), !bytes.isEmpty { all += bytes }
        return String(decoding: all, as: UTF8.self)
    }

    /// All text until it ends with a given one, or until the end.
    package func receiveAll(until end: String) throws -> String {
        var all: [UInt8] = []
        while !all.suffix(end.utf8.count).elementsEqual(end.utf8), case let bytes = try receive(), !bytes.isEmpty {
            all += bytes
        }
        return String(decoding: all, as: UTF8.self)
    }

    /// Whether the connection ends without another byte.
    package func hasEnded() -> Bool {
        do { return try receive().isEmpty } catch { return true }
    }

    package func request(_ text: String, isHead: Bool = false) throws -> TestResponse {
        try send(text)
        return try response(isHead: isHead)
    }

    /// Reads one response.
    package func response(isHead: Bool = false) throws -> TestResponse {
        var response = TestResponse(head: try line())
        while case let line = try line(), !line.isEmpty { response.add(line) }
        guard !isHead, response.status != 204, response.status != 304, response.status >= 200 else { return response }
        if response["transfer-encoding"] == "chunked" {
            while case let size = Int(try line(), radix: 16) ?? 0, size > 0 {
                response.chunks += 1
                response.body += try bytes(size)
                _ = try line()
            }
            _ = try line()
        } else if let length = response["content-length"].flatMap({ Int($0) }) {
            response.body = try bytes(length)
        } else {
            while case let bytes = try receive(), !bytes.isEmpty { response.body += bytes }
        }
        return response
    }

    package func line() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                let line = buffer[..<end].dropLast()
                buffer = Array(buffer[(end + 1)...])
                return String(decoding: line, as: UTF8.self)
            }
            try fill()
        }
    }

    private func bytes(_ count: Int) throws -> [UInt8] {
        while buffer.count < count { try fill() }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    private func fill() throws {
        let old = buffer
        buffer = []
        let more = try receive()
        guard !more.isEmpty else { throw Failure(description: "ended behind \(String(decoding: old, as: UTF8.self))") }
        buffer = old + more
    }

    private static func connect(_ host: String, _ port: Int, _ receiveBuffer: Int?) throws -> CInt {
        if host.contains(":") {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = UInt16(port).bigEndian
            unsafe inet_pton(AF_INET6, host, &address.sin6_addr)
            return try connect(AF_INET6, address, receiveBuffer)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        unsafe inet_pton(AF_INET, host, &address.sin_addr)
        return try connect(AF_INET, address, receiveBuffer)
    }

    private static func connect(_ path: String) throws -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        return try connect(AF_UNIX, address, nil)
    }

    private static func connect<A>(_ family: CInt, _ address: A, _ receiveBuffer: Int?) throws -> CInt {
        let descriptor = socket(family, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(description: "no socket: error \(errno)") }
        if var size = receiveBuffer.map({ CInt($0) }) {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        }
        var address = address
        let result = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<A>.size))
            }
        }
        guard result == 0 else {
            let number = errno
            Glibc.close(descriptor)
            throw Failure(description: "connecting fails with error \(number)")
        }
        return descriptor
    }
}
