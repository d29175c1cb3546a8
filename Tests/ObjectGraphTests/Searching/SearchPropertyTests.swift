// SPDX-License-Identifier: Apache-2.0

// Searches in a store with an index and in one without, on random texts: the same objects in the same order.

import AtomicStores
import FoundationEssentials
import ObjectModel
import Predicates
import SQLiteStore
import TestSupport
import Testing

@testable import ObjectGraph

@Suite("Searches in all kinds of stores")
struct SearchPropertyTests {
    static let model = Model {
        Composite("Address") {
            Attribute("city", .string).optional().searchIndexed()
            Attribute("zip", .string).optional()
        }
        Entity("Text", isAbstract: true) {
            Attribute("number", .int64).optional()
            Attribute("title", .string).optional().searchIndexed()
        }
        Entity("Letter", parent: "Text") {
            Attribute("body", .string).optional().searchIndexed()
            Attribute("plain", .string).optional().derived("uppercase:(body)").searchIndexed()
            Attribute("secret", .string).optional()
            Attribute("draft", .string).optional().transient().searchIndexed()
            Attribute("place", .composite("Address")).optional()
        }
        Entity("Memo", parent: "Text") {
            Attribute("link", .uri).optional().searchIndexed()
        }
    }

    private static let vocabulary = [
        "alpha", "Beta", "beta", "gamma", "gam", "日本語", "東京", "京都", "ﬁn", "fin", "straße", "STRASSE", "İstanbul",
        "ıstanbul", "istanbul", "I", "e\u{301}clair", "éclair", "o'brien", "😀", "👨‍👩‍👧", "naïve", "Ελλάδα", "ΟΔΟΣ", "οδός",
        "한국어", "한국", "don\u{AD}t", "a1", "42", "½", "Ⅳ", "x²", "_", "-", "A&B", "nul\u{0}byte", "\u{1E9E}", "ŉ",
        "か\u{3099}", "が",
        "ｶﾞ", "ก็ตาม", "नमस्ते", "\u{E000}", "𝔘𝔫𝔦", "\u{1F1E9}\u{1F1EA}", "Zürich", "zu\u{308}rich", "A\u{301}\u{302}", "",
    ]

    private static func text(_ random: inout SeededGenerator) -> String? {
        if random.chance(10) { return nil }
        return (0..<Int.random(in: 0...12, using: &random)).map { _ in
            vocabulary.randomElement(using: &random) ?? ""
        }.joined(separator: random.chance(80) ? " " : random.chance(50) ? "" : ", ")
    }

    private static func value(_ text: String?) -> Value { text.map(Value.string) ?? .null }

    private static func query(_ random: inout SeededGenerator, depth: Int = 0) -> String {
        var word = vocabulary.randomElement(using: &random) ?? ""
        if random.chance(25) { word = String(word.prefix(Int.random(in: 0...2, using: &random))) + "*" }
        if random.chance(15) { word = "\"\(text(&random)?.prefix(12) ?? "a")\"" }
        if depth < 3, random.chance(20) { word = "(\(query(&random, depth: depth + 1)))" }
        guard random.chance(depth == 0 ? 70 : 40) else { return word }
        let joint = [" ", " AND ", " OR ", " NOT "].randomElement(using: &random) ?? " "
        return word + joint + query(&random, depth: depth + 1)
    }

    private struct World {
        let coordinator: PersistentStoreCoordinator

        func insert(_ entity: String, _ values: [String: Value]) throws {
            try coordinator.withContext { context in
                let object = try context.insert(entity)
                for (key, value) in values { try object.setValue(value, forKey: key) }
                try context.save()
            }
        }

        func change(_ number: Int64, _ body: @Sendable (ManagedObject, ManagedObjectContext) throws -> Void) throws {
            try coordinator.withContext { context in
                let request = FetchRequest<ManagedObject>(
                    "Text",
                    predicate: try ObjectPredicate("number == %ld", number)
                )
                for object in try context.fetch(request) { try body(object, context) }
                try context.save()
            }
        }

        func numbers(_ request: FetchRequest<ManagedObject>) throws -> [Value] {
            try coordinator.read { reader in
                try reader.snapshots(request).map {
                    $0.row.attributes[$0.objectID.entity.attribute(named: "number")!.slot]
                }
            }
        }

        /// All results, page by page.
        func paged(_ request: FetchRequest<ManagedObject>, by size: Int) throws -> [Value] {
            try coordinator.read(pinned: true) { reader in
                var request = request
                request.fetchLimit = size
                request = try reader.ranked(request)
                var found: [Snapshot] = []
                var page = try reader.page(request)
                while let last = page.last {
                    found += page
                    page = try reader.page(request, after: reader.sortKeys(of: last, for: request))
                }
                return found.map { $0.row.attributes[$0.objectID.entity.attribute(named: "number")!.slot] }
            }
        }
    }

    @Test(
        "stores with and without an index give the same results, with predicate, window, order or pages",
        arguments: SeededGenerator.seeds(6)
    )
    func agreement(seed: UInt64) throws {
        try Checkout.withFolder { folder in
            var random = SeededGenerator(seed: seed)
            let model = try ManagedObjectModel(Self.model)
            let worlds = try [
                InMemoryStore(model: model), SQLiteStore(path: folder + "/Texts.sqlite", model: model),
            ].map { (store: any PersistentStore) in
                let coordinator = PersistentStoreCoordinator(model: model)
                try coordinator.add(store)
                return World(coordinator: coordinator)
            }
            var next: Int64 = 0
            var found = 0
            for round in 0..<80 {
                let isLetter = random.chance(70)
                let (one, two, three) = (Self.text(&random), Self.text(&random), Self.text(&random))
                let number = Int64.random(in: 0...max(next, 1), using: &random)
                let (isChange, isDeletion) = (random.chance(20), random.chance(10))
                next += 1
                for world in worlds {
                    var values: [String: Value] = ["number": .integer(next), "title": Self.value(one)]
                    if isLetter {
                        values["body"] = Self.value(two)
                        values["secret"] = .string("hidden \(two ?? "")")
                        values["draft"] = "hidden"
                        if round.isMultiple(of: 3) {
                            values["place"] = .dictionary(["city": Self.value(three), "zip": "hidden"])
                        }
                    } else {
                        values["link"] = .uri("https://example.org/\(next % 5)/alpha")
                    }
                    try world.insert(isLetter ? "Letter" : "Memo", values)
                    if isChange {
                        try world.change(number) { object, _ in try object.setValue(Self.value(three), forKey: "title")
                        }
                    }
                    if isDeletion { try world.change(number) { object, context in context.delete(object) } }
                }
                guard round % 4 == 3 else { continue }
                for _ in 0..<12 {
                    let text = Self.query(&random)
                    guard let search = try? Search(text) else { continue }
                    var request = FetchRequest<ManagedObject>(
                        random.chance(60) ? "Text" : random.chance(70) ? "Letter" : "Memo"
                    )
                    request.search = search
                    let all = try worlds.map { try $0.numbers(request) }
                    #expect(all[0] == all[1], "seed \(seed): \(text)")
                    found += all[0].count
                    let pages = try worlds.map { try $0.paged(request, by: 3) }
                    #expect(pages == all, "seed \(seed): pages of \(text)")
                    for world in worlds {
                        let count = try world.coordinator.read { [request] reader in try reader.count(request) }
                        #expect(count == all[0].count, "seed \(seed): \(text)")
                    }
                    request.predicate = try ObjectPredicate("number > 10 AND title != nil")
                    (request.fetchOffset, request.fetchLimit) = (1, 4)
                    let some = try worlds.map { try $0.numbers(request) }
                    #expect(some[0] == some[1], "seed \(seed): \(text), by a predicate")
                    request.sortDescriptors = [ObjectSortDescriptor("number", ascending: false)]
                    let sorted = try worlds.map { try $0.numbers(request) }
                    #expect(sorted[0] == sorted[1], "seed \(seed): \(text), sorted")
                    #expect(Set(all[0]).isSuperset(of: sorted[0]))
                }
            }
            #expect(found > 0, "seed \(seed)")
            #expect(try worlds[1].numbers(Self.hidden()) == [])
        }
    }

    private static func hidden() throws -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>("Text")
        request.search = try Search("hidden")
        return request
    }

    @Test("a search finds a context's pending objects in their place, over one store and several")
    func pending() throws {
        let model = try ManagedObjectModel(Self.model)
        for stores in [[InMemoryStore(model: model)], [InMemoryStore(model: model), InMemoryStore(model: model)]] {
            let coordinator = PersistentStoreCoordinator(model: model)
            for store in stores { try coordinator.add(store) }
            try coordinator.withContext { context in
                for (place, title) in ["alpha beta gamma delta", "alpha", "beta", "other", "alpha gone"].enumerated() {
                    let letter = try context.insert("Letter")
                    try letter.setValue(.string(title), forKey: "title")
                    try context.assign(letter, to: stores[place % stores.count])
                }
                try context.save()
                var request = FetchRequest<ManagedObject>("Text")
                request.search = try Search("alpha")
                func titles(_ request: FetchRequest<ManagedObject>) throws -> [String?] {
                    try context.fetch(request).map {
                        if case .string(let text) = try $0.value(forKey: "title") { text } else { nil }
                    }
                }
                #expect(try titles(request) == ["alpha", "alpha gone", "alpha beta gamma delta"])
                for letter in try context.fetch(FetchRequest<ManagedObject>("Letter")) {
                    switch try letter.value(forKey: "title") {
                    case "alpha gone": context.delete(letter)
                    case "beta": try letter.setValue("alpha alpha beta", forKey: "title")
                    case "alpha": try letter.setValue("nothing", forKey: "title")
                    default: break
                    }
                }
                let new = try context.insert("Memo")
                try new.setValue("new alpha", forKey: "title")
                #expect(try titles(request) == ["alpha alpha beta", "new alpha", "alpha beta gamma delta"])
                #expect(try context.count(request) == 3)
                (request.fetchOffset, request.fetchLimit) = (1, 1)
                #expect(try titles(request) == ["new alpha"])
                #expect(try context.count(request) == 1)
                request.includesPendingChanges = false
                request.fetchOffset = 0
                #expect(try context.objectIDs(request).count == 1)
                try context.withChild { child in
                    var request = FetchRequest<ManagedObject>("Text")
                    request.search = try Search("alpha")
                    #expect(try child.count(request) == 3)
                    #expect(try child.fetch(request).map { try $0.value(forKey: "title") }.first == "alpha alpha beta")
                }
            }
        }
    }

    @Test("a search of an entity without searchable attributes is refused")
    func unmarked() throws {
        let model = try ManagedObjectModel(Model { Entity("Plain") { Attribute("name", .string).optional() } })
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(InMemoryStore(model: model))
        var request = FetchRequest<ManagedObject>("Plain")
        request.search = try Search("word")
        let asked = request
        #expect(throws: GraphError.self) { try coordinator.read { try $0.snapshots(asked) } }
    }

    @Test("pages use the scores of the first page, so that other changes neither skip nor repeat an object")
    func stablePages() throws {
        let model = try ManagedObjectModel(Self.model)
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(InMemoryStore(model: model))
        let world = World(coordinator: coordinator)
        for number in 1...30 {
            let filler = Array(repeating: "filler", count: number % 7).joined(separator: " ")
            try world.insert("Memo", ["number": .integer(Int64(number)), "title": .string("alpha \(filler) beta")])
        }
        var request = FetchRequest<ManagedObject>("Memo")
        request.search = try Search("alpha OR beta OR rare")
        request.fetchLimit = 4
        var found: [ManagedObjectID] = []
        var keys: [Value]?
        repeat {
            let (page, next) = try coordinator.read { [request, keys] reader in
                let ranked =
                    try keys.map { try request.continuations(after: $0, in: reader.model)[0] } ?? reader.ranked(request)
                let page = try reader.page(ranked, after: keys)
                return (page, try page.last.map { try reader.sortKeys(of: $0, for: ranked) })
            }
            keys = next
            found += page.map(\.objectID)
            // Each of these changes affects all scores.
            try world.insert("Letter", ["title": .string("rare rare alpha " + String(repeating: "long ", count: 50))])
        } while keys != nil
        #expect(found.count == 30)
        #expect(Set(found).count == 30)
    }
}
