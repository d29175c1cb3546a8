// SPDX-License-Identifier: Apache-2.0

// A connection to a receiver, with a deadline for everything.

import Cryptography
import Glibc

/// A socket that isn't waited for beyond a deadline.
///
/// Safe: pointers are valid for one call.
@safe
final class HookConnection {
    struct Failure: Error {
        let reason: String
        let isTimeout: Bool

        init(_ reason: String, isTimeout: Bool = false) {
            self.reason = reason
            self.isTimeout = isTimeout
        }
    }

    private let descriptor: CInt
    private let deadline: ContinuousClock.Instant
    private let time: Duration
    /// TLS over the socket, or nil.
    private let session: TLSSession?

    /// Connects to the first address of a host that accepts. The name is resolved each time.
    ///
    /// - Parameters:
    ///   - time: How long everything may take. Resolving a name has limits of its own.
    ///   - tls: Nil for a connection without TLS.
    init(_ host: String, _ port: Int, within time: Duration, over tls: TLSClient? = nil) throws(Failure) {
        let deadline: ContinuousClock.Instant
        (descriptor, deadline) = try Self.openSocket(to: host, port, time)
        self.deadline = deadline
        self.time = time
        do throws(Failure) {
            session = if let tls { try Self.session(tls, host, on: descriptor, until: deadline, time) } else { nil }
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Connects to a socket in the file system.
    init(toSocketAt path: String, within time: Duration) throws(Failure) {
        deadline = .now + time
        self.time = time
        session = nil
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isFitting = unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
            guard path.utf8.count < place.count else { return false }
            unsafe place.copyBytes(from: path.utf8)
            return true
        }
        guard isFitting else { throw Failure("The path of the socket is too long.") }
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Self.failure(errno) }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let failure = Self.failure(errno)
            close(descriptor)
            throw failure
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { close(descriptor) }

    /// Returns a connected socket, and when the time ends.
    private static func openSocket(
        to host: String,
        _ port: Int,
        _ time: Duration
    ) throws(Failure) -> (CInt, deadline: ContinuousClock.Instant) {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(host, "\(port)", &hints, &list)
        guard result == 0 else {
            throw Failure("The name “\(host)” can't be resolved: \(unsafe String(cString: gai_strerror(result))).")
        }
        defer { unsafe freeaddrinfo(list) }
        let deadline = ContinuousClock.now + time
        var failure = Failure("The name “\(host)” has no address.")
        var next = unsafe list
        while let address = unsafe next?.pointee {
            // An address that doesn't answer leaves half of the time for the others.
            let isLast = unsafe address.ai_next == nil
            let end = isLast ? deadline : .now + (deadline - .now) / 2
            let kind = unsafe address.ai_socktype | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
            let descriptor = unsafe socket(address.ai_family, kind, 0)
            if descriptor >= 0 {
                let begun = unsafe connect(descriptor, address.ai_addr, address.ai_addrlen)
                if begun == 0 || errno == EINPROGRESS {
                    do throws(Failure) {
                        try Self.wait(for: descriptor, Int16(POLLOUT), until: end, time)
                        let code = Self.error(of: descriptor)
                        guard code == 0 else { throw Self.failure(code) }
                        return (descriptor, deadline)
                    } catch {
                        failure = error
                    }
                } else {
                    failure = Self.failure(errno)
                }
                close(descriptor)
            } else {
                failure = Self.failure(errno)
            }
            unsafe next = address.ai_next
        }
        throw failure
    }

    /// Establishes TLS with a server whose certificate is valid.
    private static func session(
        _ tls: TLSClient,
        _ host: String,
        on descriptor: CInt,
        until deadline: ContinuousClock.Instant,
        _ time: Duration
    ) throws(Failure) -> TLSSession {
        guard let session = tls.session(on: descriptor, with: host) else {
            throw Failure("There is no memory for TLS.")
        }
        while true {
            switch session.handshake() {
            case .done: return session
            case .needsInput: try wait(for: descriptor, Int16(POLLIN), until: deadline, time)
            case .needsOutput: try wait(for: descriptor, Int16(POLLOUT), until: deadline, time)
            case .failed(let reason): throw Failure("TLS fails: \(reason).")
            }
        }
    }

    private func send(_ bytes: [UInt8], over session: TLSSession) throws(Failure) {
        var sent = 0
        while true {
            guard let count = session.write(bytes, from: sent, isMoreComing: false) else {
                throw Failure("The connection failed while sending.")
            }
            sent += count
            guard sent < bytes.count else { return }
            try Self.wait(for: descriptor, Int16(POLLOUT), until: deadline, time)
        }
    }

    private func receive(over session: TLSSession) throws(Failure) -> [UInt8] {
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            guard deadline > .now else { throw Self.timeout(time) }
            switch session.read(into: &piece) {
            case .bytes(let count): return Array(piece[..<count])
            case .blocked: try Self.wait(for: descriptor, Int16(POLLIN), until: deadline, time)
            case .end: return []
            case .failed: throw Failure("The connection failed, or was closed without the end of TLS.")
            }
        }
    }

    func send(_ bytes: [UInt8]) throws(Failure) {
        if let session { return try send(bytes, over: session) }
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                try Self.wait(for: descriptor, Int16(POLLOUT), until: deadline, time)
            } else if errno != EINTR {
                throw Self.failure(errno)
            }
        }
    }

    /// Receives some bytes; none at the end.
    func receive() throws(Failure) -> [UInt8] {
        if let session { return try receive(over: session) }
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            // A receiver that always has more to send doesn't wait either.
            guard deadline > .now else { throw Self.timeout(time) }
            let count = unsafe piece.withUnsafeMutableBytes {
                unsafe Glibc.recv(descriptor, $0.baseAddress, $0.count, 0)
            }
            if count >= 0 { return Array(piece[..<count]) }
            if errno == EAGAIN {
                try Self.wait(for: descriptor, Int16(POLLIN), until: deadline, time)
            } else if errno != EINTR {
                throw Self.failure(errno)
            }
        }
    }

    private static func wait(
        for descriptor: CInt,
        _ events: Int16,
        until deadline: ContinuousClock.Instant,
        _ time: Duration
    ) throws(Failure) {
        while true {
            let rest = (deadline - .now).milliseconds
            guard rest > 0 else { throw timeout(time) }
            var request = pollfd(fd: descriptor, events: events, revents: 0)
            let count = unsafe poll(&request, 1, CInt(clamping: rest))
            if count > 0 { return }
            if count < 0, errno != EINTR { throw failure(errno) }
        }
    }

    private static func timeout(_ time: Duration) -> Failure {
        Failure("It doesn't answer within \(SettingType.duration.write(time)).", isTimeout: true)
    }

    private static func error(of descriptor: CInt) -> CInt {
        var code: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
        return code
    }

    private static func failure(_ code: CInt) -> Failure {
        switch code {
        case ECONNREFUSED: Failure("No server listens there.")
        default: Failure("The connection failed: \(unsafe String(cString: strerror(code))).")
        }
    }
}
