// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A listening socket, closed on release. Its file is removed too, unless it was replaced.
///
/// Safe to use: the structures passed to system calls outlive the calls.
@safe
final class ListeningSocket: Sendable {
    /// What is served at an address.
    enum Service: Sendable {
        case plain
        /// Over TLS.
        case secure
        /// Redirections to an address with TLS.
        case redirect
    }

    let descriptor: CInt
    let address: ListenAddress
    let service: Service
    private let file: FileIdentity?

    private struct FileIdentity: Equatable {
        var device: dev_t
        var number: ino_t

        init?(_ path: String) {
            var status = stat()
            guard unsafe lstat(path, &status) == 0 else { return nil }
            device = status.st_dev
            number = status.st_ino
        }
    }

    private init(_ descriptor: CInt, _ address: ListenAddress, _ service: Service, file: FileIdentity? = nil) {
        self.descriptor = descriptor
        self.address = address
        self.service = service
        self.file = file
    }

    deinit {
        close(descriptor)
        if case .unix(let path, _) = address, let file, file == FileIdentity(path) { unsafe unlink(path) }
    }

    /// Listens at an address, or at all addresses of a host.
    ///
    /// - Parameter service: What is served on TCP. Unix sockets are within the machine, and never use TLS.
    static func listen(at address: ListenAddress, for service: Service) throws(ServerError) -> [ListeningSocket] {
        switch address {
        case .tcp(let host, let port): try listen(host, port, at: address, for: service)
        case .unix(let path, let mode): [try listen(path, mode: mode, at: address, for: service.onUnixSocket)]
        case .activated: try ActivatedSockets.descriptors().map { adopt($0, for: service) }
        }
    }

    private static func listen(
        _ host: String,
        _ port: Int,
        at address: ListenAddress,
        for service: Service
    ) throws(ServerError)
        -> [ListeningSocket]
    {
        guard 0...65_535 ~= port else { throw .invalidAddress(address.description) }
        let addresses = SocketAddress.addresses(of: host, port: port)
        guard !addresses.isEmpty else { throw .unknownHost(address.description) }
        var sockets: [ListeningSocket] = []
        var failure: CInt = 0
        for candidate in addresses {
            var candidate = candidate
            let descriptor = try open(candidate.family, address)
            set(descriptor, SOL_SOCKET, SO_REUSEADDR)
            if candidate.family == AF_INET6 { set(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY) }
            // Accepted connections inherit these options.
            set(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY)
            set(descriptor, SOL_SOCKET, SO_KEEPALIVE)
            guard candidate.bind(descriptor) == 0, Glibc.listen(descriptor, SOMAXCONN) == 0 else {
                failure = errno
                close(descriptor)
                // A host name may have an IPv6 address on a machine without IPv6.
                if failure == EADDRNOTAVAIL || failure == EAFNOSUPPORT { continue }
                throw .listening(on: address.description, failure)
            }
            sockets.append(adopt(descriptor, for: service))
        }
        guard !sockets.isEmpty else { throw .listening(on: address.description, failure) }
        return sockets
    }

    private static func listen(
        _ path: String,
        mode: Int,
        at address: ListenAddress,
        for service: Service
    ) throws(ServerError)
        -> ListeningSocket
    {
        guard var name = SocketAddress(path: path) else { throw .invalidAddress(address.description) }
        try removeStale(path, name, address)
        let descriptor = try open(AF_UNIX, address)
        // Set before the file exists, so that it is never accessible to others.
        fchmod(descriptor, mode_t(truncatingIfNeeded: mode & 0o777))
        guard name.bind(descriptor) == 0 else {
            let failure = errno
            close(descriptor)
            throw .listening(on: address.description, failure)
        }
        // Set again, since the process's umask may have cleared bits.
        guard unsafe chmod(path, mode_t(truncatingIfNeeded: mode & 0o777)) == 0,
            Glibc.listen(descriptor, SOMAXCONN) == 0
        else {
            let failure = errno
            close(descriptor)
            unsafe unlink(path)
            throw .listening(on: address.description, failure)
        }
        return ListeningSocket(descriptor, address, service, file: FileIdentity(path))
    }

    /// Removes a socket that a process left behind. Throws if a process listens at it.
    private static func removeStale(_ path: String, _ name: SocketAddress, _ address: ListenAddress) throws(ServerError)
    {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .inTheWay(path) }
        var name = name
        let probe = try open(AF_UNIX, address)
        defer { close(probe) }
        guard name.connect(probe) != 0, errno == ECONNREFUSED else {
            throw .listening(on: address.description, errno == EACCES ? EACCES : EADDRINUSE)
        }
        unsafe unlink(path)
    }

    private static func adopt(_ descriptor: CInt, for service: Service) -> ListeningSocket {
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        guard let bound = SocketAddress(of: descriptor) else { return ListeningSocket(descriptor, .activated, service) }
        guard bound.family != AF_UNIX else {
            return ListeningSocket(descriptor, .unix(path: bound.path), service.onUnixSocket)
        }
        return ListeningSocket(descriptor, .tcp(host: bound.host, port: bound.port), service)
    }

    private static func open(_ family: CInt, _ address: ListenAddress) throws(ServerError) -> CInt {
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { throw .listening(on: address.description, errno) }
        return descriptor
    }

    private static func set(_ descriptor: CInt, _ level: CInt, _ option: CInt) {
        var on: CInt = 1
        unsafe setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<CInt>.size))
    }
}

extension ListeningSocket.Service {
    fileprivate var onUnixSocket: Self { self == .secure ? .plain : self }
}
