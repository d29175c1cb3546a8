// SPDX-License-Identifier: Apache-2.0

// Giving memory back to the system after a peak: what was freed stays with the process otherwise, as it is spread over many pages.

import CLibevent
import Dispatch
import Glibc
import Synchronization

/// When to give memory back: what it costs is bounded, however often there are peaks.
///
/// 1. Nothing is done as long as the process has no more memory than at its lowest, but for some.
/// 2. Where it has more, that is tried again and again, since what is used now may be free the next time; each time after twice as long
///    as before, at once when the memory has grown.
/// 3. Giving back takes a hundredth of the time at most.
struct MemoryTrimPlan {
    private static let slack = 32 << 20
    private static let shortestPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(60)

    /// The least memory that the process had, and what it had after memory was given back last.
    private var least = Int.max
    private var latest = 0
    private var pause = Self.shortestPause
    private var next = Duration.zero
    /// Before this giving back would take too much of the time.
    private var earliest = Duration.zero

    /// Whether memory is to be given back now.
    ///
    /// - Parameters:
    ///   - resident: The bytes of memory that the process has.
    ///   - now: The time since some moment, the same for all calls.
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

    /// Memory was given back.
    mutating func didTrim(resident: Int, taking time: Duration, now: Duration) {
        latest = resident
        least = min(least, resident)
        next = now + pause
        earliest = now + time * 100
        pause = min(pause * 2, Self.longestPause)
    }
}

/// Looks at the memory of the process each second, as long as it exists.
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
        lookLater()
    }

    private func lookLater() {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(Self.interval)) { [weak self] in
            self?.look()
            self?.lookLater()
        }
    }

    private func look() {
        let begin = ContinuousClock.now
        guard let resident = Self.resident, plan.withLock({ $0.isDue(resident: resident, now: begin - start) }) else {
            return
        }
        malloc_trim(0)
        let end = ContinuousClock.now
        let left = Self.resident ?? resident
        plan.withLock { $0.didTrim(resident: left, taking: end - begin, now: end - start) }
    }

    /// The bytes of memory that the process has for itself, without what is of files.
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
