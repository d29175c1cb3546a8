// SPDX-License-Identifier: Apache-2.0

// Finds processes that use an address or a file, as far as the user's permissions allow.

import Files
import FoundationEssentials
import HTTPServer

/// A process of this machine.
struct FoundProcess: Equatable {
    let number: Int

    /// Its number and its command line, without the folder of the program.
    var words: String {
        var words = FileSystem.processText(at: "/proc/\(number)/cmdline").split(separator: "\0")
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
        let holders = ["", "-wal", "-shm"].flatMap { FileSystem.lockHolders(of: path + $0, isWriting: true) }
        return holders.first.map(FoundProcess.init)
    }

    /// The process that has the files of a SQLite store open, whether it writes or not.
    static func user(of path: String) -> FoundProcess? {
        lockHolder(of: path)
            ?? ["", "-wal", "-shm"].flatMap { FileSystem.lockHolders(of: path + $0) }.first.map(FoundProcess.init)
    }

    /// The socket links of descriptors that listen at a port.
    private static func tcpSockets(at port: Int) -> Set<String> {
        let wanted = String(port, radix: 16, uppercase: true)
        let suffix = ":" + String(repeating: "0", count: max(0, 4 - wanted.count)) + wanted
        var sockets: Set<String> = []
        for file in ["/proc/net/tcp", "/proc/net/tcp6"] {
            for line in FileSystem.processText(at: file).split(separator: "\n").dropFirst() {
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
        let lines = FileSystem.processText(at: "/proc/net/unix").split(separator: "\n")
            .filter { $0.hasSuffix(" \(path)") }
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
}
