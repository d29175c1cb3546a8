// SPDX-License-Identifier: Apache-2.0

// How the threads of a group's jobs are woken.

import Basics
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import SQLiteDriver

@Suite("Waking after a shared commit")
struct WriterWakingTests {
    /// A thread's slot that records on which thread it is freed and taken.
    private final class Slot: Sendable {
        struct Record: Equatable {
            var owner: UInt = 0
            var takers: [UInt] = []
        }

        let record = Mutex(Record())

        func occupied(_ body: () -> Void) {
            let slot = ThreadSlot { [self] in
                record.withLock { $0.owner = Self.thread }
                return true
            } take: { [self] in
                record.withLock { $0.takers.append(Self.thread) }
            }
            slot.occupied(body)
        }

        private static var thread: UInt { UInt(CurrentThread.identifier()) }
    }

    private func slots(after jobs: Int, failing: Int? = nil) throws -> [Slot.Record] {
        let slots = (0..<jobs).map { _ in Slot() }
        try Database.withTable("t (id INTEGER PRIMARY KEY)", DatabaseConfiguration()) { database in
            together(
                database,
                (0..<jobs).map { number in
                    {
                        slots[number].occupied {
                            try? database.write { connection in
                                let id = number == failing ? 0 : number
                                try connection.execute("INSERT INTO t VALUES (\(value: .integer(Int64(id))))")
                            }
                        }
                    }
                }
            )
        }
        return slots.map { $0.record.withLock { $0 } }
    }

    @Test("each job frees its thread's slot and has it back once, those of others from the thread that wakes them")
    func slots() throws {
        let records = try slots(after: 40)
        #expect(records.allSatisfy { $0.owner != 0 && $0.takers.count == 1 })
        let leader = try #require(records.first { $0.takers == [$0.owner] }).owner
        #expect(records.allSatisfy { $0.takers == [leader] })
    }

    @Test("a failed job has its slot back too")
    func failure() throws {
        let records = try slots(after: 20, failing: 7)
        #expect(records.allSatisfy { $0.takers.count == 1 })
    }
}
