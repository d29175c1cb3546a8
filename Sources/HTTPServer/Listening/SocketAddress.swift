// SPDX-License-Identifier: Apache-2.0

import CLibevent
import Glibc

/// A socket address.
///
/// Safe to use: the storage has the maximum size of addresses, and pointers to it are used within one call.
@safe
struct SocketAddress: Sendable {
    private(set) var storage = sockaddr_storage()
    private(set) var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    /// An empty address for the system to fill in.
    private init() {}

    /// Returns nil if the path is too long.
    init?(path: String) {
        var address = sockaddr_un()
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path), !bytes.contains(0) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        unsafe withUnsafeBytes(of: &address) { source in
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.copyMemory(from: source) }
        }
        length = socklen_t(MemoryLayout<sockaddr_un>.size)
    }

    /// The addresses of a host, or none if its name is unknown.
    static func addresses(of host: String, port: Int) -> [SocketAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host == "*" ? nil : host, String(port), &hints, &first) == 0 else { return [] }
        defer { unsafe freeaddrinfo(first) }
        var result: [SocketAddress] = []
        var next = unsafe first
        while let entry = unsafe next?.pointee {
            var address = SocketAddress()
            address.length = unsafe entry.ai_addrlen
            unsafe withUnsafeMutableBytes(of: &address.storage) {
                unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen)))
            }
            result.append(address)
            unsafe next = entry.ai_next
        }
        return result
    }

    /// The address to which a socket is bound.
    init?(of descriptor: CInt) {
        self.init()
        guard unsafe withPointer({ unsafe getsockname(descriptor, $0, &$1) }) == 0 else { return nil }
    }

    /// Accepts a waiting connection as a non-blocking socket, with the client's address. Returns nil with `errno` set.
    static func accept(_ descriptor: CInt) -> (descriptor: CInt, address: SocketAddress)? {
        var address = SocketAddress()
        let flags = CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let accepted = unsafe address.withPointer { unsafe accept4(descriptor, $0, &$1, flags) }
        return accepted < 0 ? nil : (accepted, address)
    }

    mutating func bind(_ descriptor: CInt) -> CInt { unsafe withPointer { unsafe Glibc.bind(descriptor, $0, $1) } }

    mutating func connect(_ descriptor: CInt) -> CInt {
        unsafe withPointer { unsafe Glibc.connect(descriptor, $0, $1) }
    }

    var family: CInt { CInt(storage.ss_family) }

    var host: String {
        var copy = self
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let result = unsafe copy.withPointer {
            unsafe getnameinfo($0, $1, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        }
        return result == 0 ? String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
    }

    var port: Int {
        var copy = storage
        // The port is at the same offset in both address families, in network byte order.
        return unsafe withUnsafeBytes(of: &copy) { unsafe Int($0[2]) << 8 | Int($0[3]) }
    }

    /// The path of a Unix socket.
    var path: String {
        var copy = storage
        return unsafe withUnsafeBytes(of: &copy) { bytes in
            unsafe String(decoding: bytes[2..<min(Int(length), bytes.count)].prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// The key that identifies a client: the IPv4 address, even if mapped into IPv6, or the network of an IPv6 address;
    /// nil for Unix sockets.
    var client: [UInt8]? {
        var copy = storage
        return unsafe withUnsafeBytes(of: &copy) { bytes in
            switch family {
            case AF_INET: unsafe Array(bytes[4..<8])
            case AF_INET6:
                // After the port and the flow label.
                unsafe Array(bytes[8..<20].elementsEqual(Self.mappedPrefix) ? bytes[20..<24] : bytes[8..<16])
            default: nil
            }
        }
    }

    /// The prefix of an IPv4 address mapped into IPv6.
    private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

    private mutating func withPointer<R>(_ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> R) -> R {
        var length = length
        defer { self.length = length }
        return unsafe withUnsafeMutablePointer(to: &storage) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, &length) }
        }
    }
}
