// SPDX-License-Identifier: Apache-2.0

// When free memory is returned to the system.

import Dispatch
import Foundation
import Testing

@testable import HTTPServer

@Suite("Memory trimming")
struct MemoryTrimTests {
    private static let megabyte = 1 << 20

    @Test("trimming is due when memory exceeds its lowest value by a threshold, and not after it succeeds")
    func threshold() {
        var plan = MemoryTrimPlan()
        let isDue = [50, 60, 80, 82, 200].enumerated().map { second, size in
            plan.isDue(resident: size * Self.megabyte, now: .seconds(second))
        }
        #expect(isDue == [false, false, false, false, true])
        plan.didTrim(resident: 55 * Self.megabyte, taking: .milliseconds(5), now: .seconds(4))
        for second in 5..<100 {
            let isDue = plan.isDue(resident: 60 * Self.megabyte, now: .seconds(second))
            #expect(!isDue)
        }
    }

    @Test("the pauses between useless trims grow, and end when memory grows again")
    func pauses() {
        var plan = MemoryTrimPlan()
        var seconds: [Int] = []
        for second in 0..<200 {
            let size = second == 0 ? 50 : second < 150 ? 200 : 400
            guard plan.isDue(resident: size * Self.megabyte, now: .seconds(second)) else { continue }
            seconds.append(second)
            plan.didTrim(resident: size * Self.megabyte, taking: .milliseconds(1), now: .seconds(second))
        }
        #expect(seconds == [1, 2, 4, 8, 16, 32, 64, 124, 151, 152, 154, 158, 166, 182])
    }

    @Test("trimming takes at most a hundredth of the time")
    func cost() {
        var plan = MemoryTrimPlan()
        _ = plan.isDue(resident: 0, now: .zero)
        var count = 0
        for second in 1...1_000 {
            guard plan.isDue(resident: second * 100 * Self.megabyte, now: .seconds(second)) else { continue }
            count += 1
            plan.didTrim(resident: second * 50 * Self.megabyte, taking: .milliseconds(500), now: .seconds(second))
        }
        #expect(count == 20)
    }

    @Test("trimming measures the process's resident memory")
    func resident() throws {
        let before = try #require(MemoryTrim.resident)
        let bytes = [UInt8](repeating: 1, count: 64 << 20)
        let after = try #require(MemoryTrim.resident)
        #expect(after > before + 32 << 20)
        #expect(bytes.last == 1)
    }

    @Test("the free end of a thread's heap is returned at once, even after large values were freed", .unsanitized)
    func freed() throws {
        let trim = MemoryTrim()
        defer { withExtendedLifetime(trim) {} }
        let before = try #require(MemoryTrim.resident)
        let (isFilled, isMeasured, isFreed) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        // The thread allocates nothing behind the blocks, which would keep the end of its heap.
        Thread.detachNewThread {
            // The C library takes the size of the largest block that was freed as that of blocks that are worth keeping.
            for _ in 0..<2 { _ = [UInt8](repeating: 1, count: 30 << 20) }
            do {
                let blocks = (0..<64).map { _ in [UInt8](repeating: 1, count: 900_000) }
                isFilled.signal()
                isMeasured.wait()
                withExtendedLifetime(blocks) {}
            }
            isFreed.signal()
        }
        isFilled.wait()
        #expect(try #require(MemoryTrim.resident) > before + 32 << 20)
        isMeasured.signal()
        isFreed.wait()
        #expect(try #require(MemoryTrim.resident) < before + 32 << 20)
    }
}
