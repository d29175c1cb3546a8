// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Files
import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Large values in random and concurrent saves")
struct ExternalDataPropertyTests {
    @Test(
        "after random saves, all values are as saved, and exactly the referenced files exist",
        arguments: SeededGenerator.seeds(6)
    )
    func random(seed: UInt64) throws {
        try Checkout.withFolder { folder in
            var generator = SeededGenerator(seed: seed)
            var expected: [ManagedObjectID: [String: Value]] = [:]
            var gallery = try Gallery(folder)
            var generations: [(any StoreGeneration, [ManagedObjectID: [String: Value]])] = []
            for _ in 0..<60 {
                switch Int.random(in: 0..<12, using: &generator) {
                case 0...4:
                    let values = Self.values(&generator)
                    expected[try gallery.insert(values, as: "Painting")] = values
                case 5...7:
                    guard let id = expected.keys.randomElement(using: &generator) else { continue }
                    let values = Self.values(&generator)
                    try gallery.update(id, values)
                    expected[id]?.merge(values) { $1 }
                case 8:
                    guard let id = expected.keys.randomElement(using: &generator) else { continue }
                    try gallery.delete(id)
                    expected[id] = nil
                case 9:
                    // A store has this many connections for generations.
                    guard generations.count < DatabaseConfiguration().snapshotLimit else { continue }
                    generations.append((try gallery.store.currentGeneration(), expected))
                case 10:
                    for (generation, values) in generations { try Self.check(gallery, values, at: generation) }
                    if generations.count > 2 { generations.remove(at: Int.random(in: 0..<2, using: &generator)) }
                default:
                    let failing = FailingFiles()
                    let steps: [FileOperation] = [.make, .write, .sync, .syncFolder]
                    failing.fail(1, steps.randomElement(using: &generator), lasts: true)
                    #expect(throws: GraphError.self) {
                        try failing.run { try gallery.insert(["photo": .bytes(1, 99)]) }
                    }
                }
            }
            try Self.check(gallery, expected, at: nil)
            generations = []
            gallery = try Gallery(folder)
            try Self.check(gallery, expected, at: nil)
            try gallery.store.removeOrphanedFiles()
            #expect(try gallery.named() == gallery.files, "seed \(seed)")
            #expect(generations.isEmpty)
        }
    }

    private static func values(_ generator: inout SeededGenerator) -> [String: Value] {
        var values: [String: Value] = [:]
        for key in ["photo", "back", "thumbnail", "scan"] where generator.chance(50) {
            let bytes = Value.bytes(
                UInt8.random(in: 0...255, using: &generator),
                Int.random(in: 0..<30, using: &generator)
            )
            values[key] =
                generator.chance(20) ? .null : key == "scan" ? .dictionary(["bytes": bytes, "label": .null]) : bytes
        }
        return values
    }

    private static func check(
        _ gallery: Gallery,
        _ expected: [ManagedObjectID: [String: Value]],
        at generation: (any StoreGeneration)?
    ) throws {
        for (id, values) in expected {
            for (key, value) in values { #expect(try gallery.value(key, of: id, at: generation) == value) }
        }
    }

    @Test("concurrent saves have their own files, and readers get each value whole")
    func concurrent() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let ids = try (0..<4).map { try gallery.insert(["photo": .bytes(UInt8($0), 5000)]) }
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                do {
                    for round in 0..<25 {
                        let id = ids[thread % 4]
                        if thread < 4 {
                            try gallery.update(id, ["photo": .bytes(UInt8(round), 5000 + round)])
                        } else {
                            guard case .data(let data)? = try gallery.value("photo", of: id),
                                data.count >= 5000, Set(data).count == 1
                            else {
                                failures.withLock { $0.append("A value was missing or torn.") }
                                continue
                            }
                        }
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
            #expect(gallery.files.count == 4)
            #expect(try gallery.named() == gallery.files)
        }
    }
}
