// SPDX-License-Identifier: Apache-2.0

// Returns memory to the system after a peak, since freed memory otherwise stays with the process in fragmented pages.

import CLibevent
import Dispatch
import Glibc
import Synchronization

/// Decides when to trim memory, with bounded cost.
///
/// 1. Nothing is done while the resident memory is near its minimum.
/// 2. Otherwise trimming is repeated, since more memory may be free by then. The interval doubles each time; growth
///    resets it.
/// 3. Trimming takes at most a hundredth of the time.
struct MemoryTrimPlan {
    private static let slack = 32 << 20
    private static let shortestPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(60)

    /// The minimum resident memory, and the resident memory after the last trim.
    private var least = Int.max
    private var latest = 0
    private var pause = Self.shortestPause
    private var next = Duration.zero
    /// The earliest time that keeps trimming within its share of time.
    private var earliest = Duration.zero

    /// Whether memory should be trimmed now.
    ///
    /// - Parameters:
    ///   - resident: The resident memory in bytes.
    ///   - now: The time since a fixed reference.
    mutating func isDue(resident: Int, now: Duration) -> Bool {
        least = min(least, resident)
        guard resident > least + Self.slack else {
            pause = Self.shortestPause
            return false
        }
        if resident > latest + Self.slack {
            pause = Self.shortestPause
            next = min(next, now + Self.shortestPause)
        }
        return now >= max(next, earliest)
    }

    /// Records a trim.
    mutating func didTrim(resident: Int, taking time: Duration, now: Duration) {
        latest = resident
        least = min(least, resident)
        next = now + pause
        earliest = now + time * 100
        pause = min(pause * 2, Self.longestPause)
    }
}

/// Checks the process's memory once a second during its own lifetime.
final class MemoryTrim: Sendable {
    private static let interval = 1
    /// Beyond these sizes what is freed goes back to the system at once. The C library would raise them to 32 and 64 MiB after a large
    /// value, and then each thread keeps so much at the end of its heap, which `malloc_trim` gives back of the main one alone.
    private static let mapped: Int32 = 1 << 20
    private static let heapEnd: Int32 = 2 << 20
    private let plan = Mutex(MemoryTrimPlan())
    private let start = ContinuousClock.now

    init() {
        mallopt(outcrop_malloc_mmap_threshold, Self.mapped)
        mallopt(outcrop_malloc_trim_threshold, Self.heapEnd)
        scheduleCheck()
    }

    private func scheduleCheck() {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(Self.interval)) { [weak self] in
            self?.check()
            self?.scheduleCheck()
        }
    }

    private func check() {
        let begin = ContinuousClock.now
        guard let resident = Self.resident, plan.withLock({ $0.isDue(resident: resident, now: begin - start) }) else {
            return
        }
        malloc_trim(0)
        let end = ContinuousClock.now
        let left = Self.resident ?? resident
        plan.withLock { $0.didTrim(resident: left, taking: end - begin, now: end - start) }
    }

    /// The resident memory in bytes without file mappings.
    static var resident: Int? {
        let descriptor = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return nil }
        let pages = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ").prefix(3).compactMap {
            Int($0)
        }
        guard pages.count == 3 else { return nil }
        return (pages[1] - pages[2]) * sysconf(Int32(_SC_PAGESIZE))
    }
}
