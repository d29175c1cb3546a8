// SPDX-License-Identifier: Apache-2.0

// The resources of a process.

import FoundationEssentials

/// This process's open descriptors, threads and memory.
struct Usage {
    var descriptors: Int
    var threads: Int
    var kilobytes: Int
}

extension Usage {
    init() throws {
        let files = FileManager.default
        descriptors = try files.contentsOfDirectory(atPath: "/proc/self/fd").count
        threads = try files.contentsOfDirectory(atPath: "/proc/self/task").count
        let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
        let memory = lines.first { $0.hasPrefix("VmRSS:") }
        kilobytes = memory?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    }
}
