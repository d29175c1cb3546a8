// SPDX-License-Identifier: Apache-2.0

import Predicates
import TestSupport
import Testing

@testable import ObjectGraph

@Suite("Call statistics")
struct StatisticsTests {
    @Test("calls are counted by kind, including those served from memory, and failed ones aren't")
    func kinds() throws {
        let shop = try Bookshop()
        let (before, coordinator) = (shop.coordinator.statistics, shop.coordinator)
        let books = try #require(coordinator.model.entity(named: "Writer")?.relationship(named: "books"))
        let ids = try coordinator.read { reader in
            let ids = try reader.objectIDs(FetchRequest("Writer"))
            _ = try reader.snapshots(of: ids)
            _ = try reader.related(along: books, owners: ids)
            _ = try reader.count(FetchRequest("Writer"))
            return ids
        }
        try shop.run { context in
            try context.writer("Cy").setValue("Di", forKey: "name")
            try context.insert("Book")
            try context.save()
        }
        try coordinator.execute(BatchInsertRequest("Book", rows: [[:], [:]]))
        #expect(throws: GraphError.self) { try coordinator.read { try $0.count(FetchRequest("Nobody")) } }
        #expect(throws: GraphError.self) {
            try WorkLimits(isCancelled: { true }).hold { try coordinator.read { try $0.snapshots(of: ids) } }
        }
        let after = coordinator.statistics
        #expect(after.fetches.count - before.fetches.count == 3)
        #expect(after.fetches.objects - before.fetches.objects == 4)
        #expect(after.faults.count - before.faults.count == 1)
        #expect(after.faults.objects - before.faults.objects == 3)
        #expect(after.relationshipFaults.count - before.relationshipFaults.count == 1)
        #expect(after.saves.count - before.saves.count == 1)
        #expect(after.saves.objects - before.saves.objects == 2)
        #expect(after.batches.count - before.batches.count == 1)
        #expect(after.batches.objects - before.batches.objects == 2)
        #expect(after.fetches.minimum != nil && after.fetches.average != nil)
    }

    @Test("the distribution of times is known to an eighth in constant space", arguments: SeededGenerator.seeds(5))
    func spread(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (timings, times) = (CallTimings(), [Int64]())
        #expect(timings.quantile(0.5) == nil && timings.average == nil)
        for _ in 0..<Int.random(in: 1...3_000, using: &random) {
            let time = Int64.random(in: 0...(1 << Int64.random(in: 0...40, using: &random)), using: &random)
            times.append(time)
            timings.add(.nanoseconds(time), objects: 2)
        }
        times.sort()
        #expect(timings.count == times.count && timings.objects == 2 * times.count)
        #expect(timings.minimum == .nanoseconds(times[0]) && timings.maximum == .nanoseconds(times[times.count - 1]))
        for part in [0.01, 0.5, 0.9, 0.99, 1] {
            let exact = times[max(0, Int((part * Double(times.count)).rounded(.up)) - 1)]
            let told = try #require(timings.quantile(part))
            #expect(
                told >= .nanoseconds(exact) && told <= .nanoseconds(exact + exact / 8 + 1),
                "\(part) of \(times.count), seed \(seed)"
            )
        }
        timings.add(.seconds(100_000))
        #expect(timings.quantile(1) == .seconds(100_000))
    }

    @Test("the buckets of times are contiguous")
    func steps() {
        for bucket in 0..<300 {
            let end = CallTimings.end(of: bucket)
            #expect(CallTimings.bucket(of: end) == bucket && CallTimings.bucket(of: end + 1) == bucket + 1)
        }
    }
}
