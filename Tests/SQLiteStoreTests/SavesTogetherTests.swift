// SPDX-License-Identifier: Apache-2.0

// Many concurrent savers: their results, the content of the file, and concurrent reads.

import ObjectGraph
import Predicates
import SQLiteDriver
import SQLiteStore
import Synchronization
import Testing

@Suite("Concurrent saves")
struct SavesTogetherTests {
    @Test("concurrent saves are all written, each as a whole, and share transactions")
    func together() async throws {
        try await Shop.open { shop in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for saver in 0..<8 {
                    group.addTask {
                        for round in 0..<25 {
                            try shop.coordinator.withContext { context in
                                let group = try context.insert("Group")
                                try group.setValue(.string("\(saver)/\(round)"), forKey: "name")
                                for number in 0..<3 {
                                    let article = try context.insert("Article")
                                    try article.setValue(.string("\(number)"), forKey: "name")
                                    try article.relate("group", group)
                                }
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try shop.rows("SELECT count(*), sum(Z_OPT) FROM ZGROUP") == [["200", "200"]])
            #expect(
                try shop.rows("SELECT count(*), count(DISTINCT ZGROUP), count(DISTINCT Z_FOK_GROUP) FROM ZARTICLE")
                    == [["600", "200", "3"]]
            )
        }
    }

    @Test("a refused save leaves nothing and doesn't affect concurrent ones")
    func refused() async throws {
        try await Shop.open { shop in
            let saved = Shared<[String]>([])
            await withTaskGroup(of: Void.self) { group in
                for saver in 0..<6 {
                    group.addTask {
                        for round in 0..<30 {
                            let name = "\((saver + round * 7) % 40)"
                            let isSaved = try? shop.coordinator.withContext { context in
                                for value in ["\(saver) \(round)", name] {
                                    let group = try context.insert("Group")
                                    try group.setValue(.string(value), forKey: "name")
                                }
                                try context.save()
                                return true
                            }
                            if isSaved == true { saved.withLock { $0 += ["\(saver) \(round)", name] } }
                        }
                    }
                }
            }
            let names = try shop.rows("SELECT ZNAME FROM ZGROUP").map { $0[0] }
            #expect(names.sorted() == saved.withLock { $0.sorted() })
            #expect(Set(names).count == names.count)
        }
    }

    /// Stock moves from one article to another, so that the sum is the same in each state of the file.
    @Test("concurrent reads see whole saves, at least as new as those known to be saved")
    func reading() async throws {
        try await Shop.open { shop in
            let ids = try shop.coordinator.withContext { context in
                let articles = try (0..<6).map { _ in try context.insert("Article") }
                for article in articles {
                    try article.setValue("1", forKey: "name")
                    try article.setValue(100, forKey: "stock")
                }
                try context.save()
                return articles.map(\.objectID)
            }
            // The name counts the moves.
            let saved = Shared(Array(repeating: 1, count: ids.count))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for mover in 0..<4 {
                    group.addTask {
                        for round in 1...60 {
                            let (from, to) = ((mover + round) % ids.count, (mover * 2 + round * 5 + 1) % ids.count)
                            guard from != to else { continue }
                            let moves = try shop.coordinator.withContext { context -> [Int] in
                                var moves: [Int] = []
                                for (place, change) in [(from, Int64(-1)), (to, 1)] {
                                    let article = context.object(with: ids[place])
                                    let stock = try article.value(forKey: "stock").integer ?? 0
                                    moves.append(try article.moves + 1)
                                    try article.setValue(.integer(stock + change), forKey: "stock")
                                    try article.setValue(.string("\(moves.last ?? 0)"), forKey: "name")
                                }
                                do {
                                    try context.save()
                                    return moves
                                } catch let error as GraphError where error.code == .conflict {
                                    return [0, 0]
                                }
                            }
                            saved.withLock { saved in
                                (saved[from], saved[to]) = (max(saved[from], moves[0]), max(saved[to], moves[1]))
                            }
                            await Task.yield()
                        }
                    }
                }
                for _ in 0..<3 {
                    group.addTask {
                        for round in 0..<150 {
                            let known = saved.withLock { $0 }
                            let read = try shop.coordinator.withContext { context in
                                if round % 3 == 0 { _ = try context.fetch(FetchRequest<ManagedObject>("Article")) }
                                return try ids.map { try context.object(with: $0).moves }
                            }
                            #expect(zip(read, known).allSatisfy { $0 >= $1 }, "\(read) \(known)")
                            let rows = try shop.store.snapshots(of: ids, at: nil)
                                .compactMap { $0?.row.attributes[1].integer }
                            #expect(rows.count == ids.count && rows.reduce(0, +) == 600, "\(rows)")
                            await Task.yield()
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try shop.rows("SELECT sum(ZSTOCK) FROM ZARTICLE") == [["600"]])
        }
    }
}

extension Value {
    fileprivate var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
}

extension ManagedObject {
    fileprivate var moves: Int {
        get throws {
            if case .string(let text) = try value(forKey: "name") { Int(text) ?? 0 } else { 0 }
        }
    }
}

/// A value that several tasks write.
final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) {
        state = Mutex(value)
    }

    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { state.withLock { body(&$0) } }
}
