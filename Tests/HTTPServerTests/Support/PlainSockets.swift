// SPDX-License-Identifier: Apache-2.0

// Sockets and files besides those of a server.

import Glibc
import HTTPTestClient

// The structures and texts that are passed outlive the calls.

/// A listening socket on a free port, closed with this process.
func listeningSocket() throws -> (descriptor: CInt, port: Int) {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    unsafe inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    try bind(descriptor, address)
    guard listen(descriptor, 8) == 0 else { throw TestClient.Failure(description: "can't listen") }
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafeMutablePointer(to: &address) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = unsafe getsockname(descriptor, $0, &length) }
    }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
}

/// Runs one of the tests in a process of its own, with a socket passed as systemd does it.
func startTests(_ name: String, handingOver descriptor: CInt) throws -> pid_t {
    // The shell has the process number that the new program keeps.
    let script = "LISTEN_FDS=1 LISTEN_PID=$$ exec /proc/$PPID/exe --testing-library swift-testing --filter " + name
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, 3)
    let words = ["/bin/sh", "-c", script]
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe arguments.forEach { unsafe free($0) } }
    var child: pid_t = 0
    guard unsafe posix_spawn(&child, "/bin/sh", &actions, nil, &arguments, nil) == 0 else {
        throw TestClient.Failure(description: "can't start a process")
    }
    return child
}

func exitStatus(of child: pid_t) -> CInt {
    var status: CInt = 0
    return unsafe waitpid(child, &status, 0) == child ? status : -1
}

/// A socket in the file system at which no process listens.
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

/// Limits the number of this process's files and sockets.
func limitDescriptors(to count: Int) {
    var limit = rlimit(rlim_cur: rlim_t(count), rlim_max: rlim_t(count))
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
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
