// SPDX-License-Identifier: Apache-2.0

// Finds processes that use an address or a file, as far as the user's permissions allow.

import FoundationEssentials
import Glibc
import HTTPServer

/// A process of this machine.
struct FoundProcess: Equatable {
    let number: Int

    /// Its number and its command line, without the folder of the program.
    var words: String {
        var words = ProcessSearch.text(at: "/proc/\(number)/cmdline").split(separator: "\0")
        guard let program = words.first else { return "process \(number)" }
        words[0] = program.split(separator: "/").last ?? program
        let call = words.joined(separator: " ")
        return "process \(number), “\(call.count > 80 ? call.prefix(79) + "…" : call)”"
    }
}

enum ProcessSearch {
    /// The process that listens at an address.
    static func listener(at address: ListenAddress) -> FoundProcess? {
        let sockets: Set<String>
        switch address {
        case .tcp(_, let port): sockets = tcpSockets(at: port)
        case .unix(let path, _): sockets = unixSockets(at: path)
        case .activated: return nil
        }
        return sockets.isEmpty ? nil : process { link in sockets.contains(link) }
    }

    /// The process that holds a lock on a folder, or on the files of a SQLite store.
    static func lockHolder(of path: String) -> FoundProcess? {
        let files = ["", "-wal", "-shm"].compactMap { ending -> String? in
            var status = stat()
            guard unsafe stat(path + ending, &status) == 0 else { return nil }
            return [major(of: status.st_dev), minor(of: status.st_dev)].map(hexadecimal).joined(separator: ":")
                + ":\(status.st_ino)"
        }
        // 3: FLOCK  ADVISORY  WRITE 4711 fe:00:16262515 0 EOF
        for line in text(at: "/proc/locks").split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let place = words.firstIndex(of: "WRITE"), words.indices.contains(place + 2),
                files.contains(String(words[place + 2])), let number = Int(words[place + 1]),
                number > 0, number != getpid()
            else { continue }
            return FoundProcess(number: number)
        }
        return nil
    }

    /// The major number of a device, as the system's macros compute it.
    private static func major(of device: dev_t) -> dev_t { device >> 8 & 0xFFF | device >> 32 & ~0xFFF }

    private static func minor(of device: dev_t) -> dev_t { device & 0xFF | device >> 12 & ~0xFF & 0xFFFF_FFFF }

    private static func hexadecimal(_ number: dev_t) -> String {
        (number < 16 ? "0" : "") + String(number, radix: 16)
    }

    /// The socket links of descriptors that listen at a port.
    private static func tcpSockets(at port: Int) -> Set<String> {
        let wanted = String(port, radix: 16, uppercase: true)
        let suffix = ":" + String(repeating: "0", count: max(0, 4 - wanted.count)) + wanted
        var sockets: Set<String> = []
        for file in ["/proc/net/tcp", "/proc/net/tcp6"] {
            for line in text(at: file).split(separator: "\n").dropFirst() {
                // 0: 0100007F:1F90 00000000:0000 0A …, where 0A is the listening state, and the tenth word is an inode.
                let words = line.split(separator: " ")
                guard words.count > 9, words[1].hasSuffix(suffix), words[3] == "0A" else { continue }
                sockets.insert("socket:[\(words[9])]")
            }
        }
        return sockets
    }

    private static func unixSockets(at path: String) -> Set<String> {
        // 0000000000000000: 00000002 00000000 00010000 0001 01 12345 /run/app.sock
        let lines = text(at: "/proc/net/unix").split(separator: "\n").filter { $0.hasSuffix(" \(path)") }
        return Set(lines.compactMap { $0.split(separator: " ").dropFirst(6).first }.map { "socket:[\($0)]" })
    }

    /// The first process with a descriptor whose link meets a condition.
    private static func process(where condition: (String) -> Bool) -> FoundProcess? {
        let files = FileManager.default
        let numbers = ((try? files.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { Int($0) }
        for number in numbers.sorted() {
            let folder = "/proc/\(number)/fd"
            for name in (try? files.contentsOfDirectory(atPath: folder)) ?? [] {
                guard let link = try? files.destinationOfSymbolicLink(atPath: "\(folder)/\(name)") else { continue }
                if condition(link) { return FoundProcess(number: number) }
            }
        }
        return nil
    }

    /// The text of a file in /proc, whose size is unknown; empty if it can't be read.
    fileprivate static func text(at path: String) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += piece[..<count]
        }
    }
}
