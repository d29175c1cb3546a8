// SPDX-License-Identifier: Apache-2.0

// What a run has taken: time, the processors' time, memory, and the times of single operations.

import Glibc

/// Measures from its making on; `stop` says what came of it, as the C program does.
struct Stopwatch {
    private let idle: Int
    private let cpu: Double
    private let started: ContinuousClock.Instant

    init() {
        idle = Self.memory("VmRSS")
        // The peak is to be that of the workload.
        if let file = fopen("/proc/self/clear_refs", "w") {
            fputs("5", file)
            fclose(file)
        }
        cpu = Self.cpuNow
        started = .now
    }

    func stop(operations: Int, times: [Double] = [], bytes: Int? = nil) {
        let seconds = (ContinuousClock.now - started).seconds
        var line = "operations=\(operations) seconds=\(seconds) cpu=\(Self.cpuNow - cpu)"
        line += " idle=\(idle) peak=\(Self.memory("VmHWM"))"
        if !times.isEmpty {
            let times = times.sorted()
            line += " p50=\(times[times.count / 2]) p99=\(times[times.count * 99 / 100])"
        }
        if let bytes { line += " bytes=\(bytes)" }
        print(line)
    }

    private static var cpuNow: Double {
        var now = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }

    /// A figure of the kernel's about this process, in KiB.
    private static func memory(_ name: String) -> Int {
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard text.hasPrefix(name) else { continue }
            return Int(text.filter(\.isNumber)) ?? 0
        }
        return 0
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

/// The time that a closure takes, in seconds.
func timing(_ body: () throws -> Void) rethrows -> Double { try ContinuousClock().measure(body).seconds }
