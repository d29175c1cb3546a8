// SPDX-License-Identifier: Apache-2.0

// Sockets and files beside those of a server.

import Glibc

// The structures and texts that are handed over outlive the calls.

/// A listening socket on a port that is free.
func listeningSocket() throws -> CInt {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    unsafe inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    try bind(descriptor, address)
    guard listen(descriptor, 8) == 0 else { throw TestClient.Failure(description: "can't listen") }
    return descriptor
}

/// Does what a program does that starts another one with a socket.
func handOver(_ descriptor: CInt, at place: CInt) throws {
    guard dup2(descriptor, place) == place else { throw TestClient.Failure(description: "can't hand over") }
    unsafe setenv("LISTEN_FDS", "1", 1)
    unsafe setenv("LISTEN_PID", String(getpid()), 1)
}

/// A socket in the file system at which nobody listens.
func leaveSocket(at path: String) throws {
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
    try bind(descriptor, address)
}

func makeFile(at path: String) throws {
    let descriptor = unsafe open(path, O_CREAT | O_WRONLY, 0o600)
    guard descriptor >= 0 else { throw TestClient.Failure(description: "no file") }
    close(descriptor)
}

func access(_ path: String) -> CInt { unsafe Glibc.access(path, F_OK) }

private func bind<A>(_ descriptor: CInt, _ address: A) throws {
    var address = address
    let result = unsafe withUnsafePointer(to: &address) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<A>.size))
        }
    }
    guard result == 0 else { throw TestClient.Failure(description: "binding fails with error \(errno)") }
}
