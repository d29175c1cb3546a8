// SPDX-License-Identifier: Apache-2.0

// Values of all types in archives, changed models, and damaged bytes.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import TestSupport
import Testing

@Suite("Contents of context archives")
struct ArchivedValueTests {
    private static func model(_ change: (inout Model) -> Void = { _ in }) throws -> ManagedObjectModel {
        var model = Model {
            Composite("Place") {
                Attribute("city", .string).optional()
                Attribute("zip", .int32).optional()
            }
            Entity("Thing") {
                Attribute("small", .int16).optional()
                Attribute("large", .int64).optional()
                Attribute("price", .decimal).optional()
                Attribute("size", .double).optional()
                Attribute("ratio", .float).optional()
                Attribute("name", .string).optional()
                Attribute("isNew", .bool).optional()
                Attribute("made", .date).optional()
                Attribute("photo", .binary).optional()
                Attribute("code", .uuid).optional()
                Attribute("link", .uri).optional()
                Attribute("notes", .transformable(transformer: nil)).optional()
                Attribute("home", .composite("Place")).optional()
                Attribute("scratch", .undefined).optional().transient()
                Relationship("whole", toOne: "Thing", inverse: "parts").optional()
                Relationship("parts", toMany: "Thing", inverse: "whole").optional()
            }
            Entity("Box") { Attribute("name", .string).optional() }
        }
        change(&model)
        return try ManagedObjectModel(model)
    }

    private static let values: [String: [Value]] = [
        "small": [.integer(-32_768), .integer(32_767)],
        "large": [.integer(.min), .integer(.max), .integer(0), .integer(-1)],
        "price": ["0.1", "-12345678901234567890123456789012345678", "1e-120", "99999999999999999999.99", "0"].compactMap
        {
            Decimal(string: $0).map(Value.decimal)
        },
        "size": [.double(-0.0), .double(.pi), .double(.infinity), .double(.leastNonzeroMagnitude)],
        "ratio": [.double(Double(Float(0.1)))],
        "name": ["", "e\u{301}", "\u{e9}", "\u{0}\u{10FFFF}", .string(String(repeating: "long ", count: 1_000))],
        "isNew": [true, false],
        "made": [
            .date(Date(timeIntervalSinceReferenceDate: -0.001)), .date(Date(timeIntervalSinceReferenceDate: 7e8 + 0.1)),
        ],
        "photo": [.data(Data()), .data(Data((0...255).map { UInt8($0) }))],
        "code": [.uuid(UUID())],
        "link": [.uri("http://example.com/a%20b?c=d#e"), .uri("not normalised/../x")],
        "notes": [
            .array([.null, 1, .double(1), [true, "two"]]),
            .dictionary(["a": .null, "b": .dictionary(["c": 1.5]), "$date": "none"]),
        ],
        "home": [.dictionary(["city": "Rome", "zip": 7]), .dictionary(["city": .null, "zip": .integer(-1)])],
        "scratch": [.array([.integer(1), .string("transient")])],
    ]

    private static func coordinator(_ model: ManagedObjectModel) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(TestStore.make(model))
        return coordinator
    }

    /// Sets each value in turn, as a change that can be undone.
    private static func fill(_ context: ManagedObjectContext) throws {
        context.undoManager = ObjectUndoManager()
        let thing = try context.insert("Thing")
        for (name, values) in Self.values.sorted(by: { $0.key < $1.key }) {
            for value in values {
                try thing.setValue(value, forKey: name)
                try context.processPendingChanges()
            }
        }
        let part = try context.insert("Thing")
        try part.setObject(thing, forKey: "whole")
        try context.processPendingChanges()
        context.delete(part)
        try context.processPendingChanges()
        try context.undo()
    }

    @Test("an archive preserves values of all types exactly, including those that undo restores")
    func values() throws {
        let coordinator = try Self.coordinator(Self.model())
        let archive = try coordinator.withContext { (context) throws in
            try Self.fill(context)
            return try context.archive()
        }
        try coordinator.withContext { (context) throws in
            context.undoManager = ObjectUndoManager()
            try context.restore(archive)
            #expect(try context.archive() == archive)
            let thing = try #require(context.insertedObjects.first)
            try context.undo()
            for (name, values) in Self.values.sorted(by: { $0.key > $1.key }) {
                for value in values.reversed() {
                    let restored = try thing.value(forKey: name)
                    #expect(restored == value, "\(name)")
                    if case (.decimal(let one), .decimal(let other)) = (restored, value) {
                        #expect(one.description == other.description)
                    }
                    if case (.double(let one), .double(let other)) = (restored, value) {
                        #expect(one.sign == other.sign)
                    }
                    try context.undo()
                }
            }
            try context.undo()
            #expect(!context.hasChanges)
            while context.undoManager?.canRedo == true { try context.redo() }
            #expect(try context.insertedObjects.first?.value(forKey: "photo") == Self.values["photo"]?.last)
        }
    }

    @Test("an archive can be restored with a later model where what it changes is the same")
    func models() throws {
        let (unnamed, named) = try Self.coordinator(Self.model()).withContext { (context) throws in
            let box = try context.insert("Box")
            _ = try context.insert("Thing")
            let unnamed = try context.archive()
            try box.setValue("Crate", forKey: "name")
            return (unnamed, try context.archive())
        }
        func restored(
            _ archive: ContextArchive,
            _ check: @Sendable (ManagedObjectContext) throws -> Void = { _ in },
            with change: (inout Model) -> Void
        ) throws -> GraphError? {
            try Self.coordinator(Self.model(change)).withContext { (context) throws in
                do throws(GraphError) {
                    try context.restore(archive)
                } catch {
                    #expect(!context.hasChanges)
                    return error
                }
                #expect(context.insertedObjects.count == 2)
                try check(context)
                return nil
            }
        }
        func edit(_ model: inout Model, _ change: (inout Entity) -> Void) {
            for index in model.entities.indices where model.entities[index].name == "Box" {
                change(&model.entities[index])
            }
        }
        @Sendable func value(
            _ key: String,
            of entity: String = "Box",
            in context: ManagedObjectContext
        ) throws -> Value? {
            try context.insertedObjects.first { $0.entity.name == entity }?.value(forKey: key)
        }
        #expect(try restored(named) { _ in } == nil)
        let added = try restored(named) { (context) throws in
            #expect(try value("colour", in: context) == "red")
        } with: { model in
            edit(&model) { $0.attributes.append(Attribute("colour", .string).default("red")) }
        }
        #expect(added == nil)
        let renamed = try restored(named) { (context) throws in
            #expect(try value("title", of: "Case", in: context) == "Crate")
        } with: { model in
            edit(&model) { entity in
                entity.name = "Case"
                entity.renamingIdentifier = "Box"
                entity.attributes[0].name = "title"
                entity.attributes[0].renamingIdentifier = "name"
            }
            for index in model.entities.indices where model.entities[index].name == "Thing" {
                model.entities[index].relationships[0].inverseName = "pieces"
                model.entities[index].relationships[1].name = "pieces"
                model.entities[index].relationships[1].renamingIdentifier = "parts"
            }
        }
        #expect(renamed == nil)
        #expect(try restored(unnamed) { model in edit(&model) { $0.attributes.removeAll() } } == nil)
        let gone = try #require(try restored(named) { model in edit(&model) { $0.attributes.removeAll() } })
        #expect(gone.code == .unknownName && gone.property == "name")
        #expect(gone.message == "Box.name was changed in the context, and the model has removed it since.")
        let other = try #require(
            try restored(named) { model in edit(&model) { $0.attributes = [Attribute("name", .int16).optional()] } }
        )
        #expect(other.code == .wrongType && other.property == "name")
        #expect(other.message == "Box.name is “Int16”, but was “String” when the context was archived.")
        let unknown = try #require(try restored(named) { model in edit(&model) { $0.name = "Crate" } })
        #expect(unknown.code == .unknownName)
        #expect(unknown.message == "There is no entity “Box”.")
    }

    @Test("damaged or truncated archive bytes are refused")
    func damage() throws {
        let bytes = try Self.coordinator(Self.model()).withContext { (context) throws in
            try Self.fill(context)
            return try context.archive().bytes
        }
        func refusal(_ bytes: [UInt8]) -> GraphError? {
            do throws(GraphError) {
                _ = try ContextArchive(bytes: bytes)
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal(bytes) == nil)
        for count in stride(from: 0, to: bytes.count, by: 7) {
            #expect(refusal(Array(bytes.prefix(count)))?.code == .invalidArchive)
        }
        for place in stride(from: 0, to: bytes.count, by: 5) {
            var damaged = bytes
            damaged[place] ^= 1 << UInt8(place % 8)
            let refusal = refusal(damaged)
            #expect(refusal?.code == .invalidArchive)
            #expect(refusal?.message.contains("at byte ") == true)
        }
    }

    @Test(
        "forged archives with a correct checksum are restored or refused without a crash",
        arguments: SeededGenerator.seeds(4)
    )
    func forged(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let coordinator = try Self.coordinator(Self.model())
        let archives = try coordinator.withContext { (context) throws in
            context.undoManager = ObjectUndoManager()
            let saved = try context.insert("Thing")
            try context.save()
            try Self.fill(context)
            let first = try context.archiveNext()
            try saved.setValue("changed", forKey: "name")
            let second = try context.archiveNext()
            try context.insert("Thing").setValue("new", forKey: "name")
            try context.undo()
            return [first, second, try context.archiveNext()]
        }
        #expect(archives.map(\.isWhole) == [true, false, false])
        var refused = 0
        for number in 0..<600 {
            var forged = Array(archives[number % 3].bytes.dropLast(8))
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 14..<forged.count, using: &random)
                forged[place] = UInt8.random(in: 0...255, using: &random)
            }
            forged = Self.withChecksum(forged)
            var chain = archives
            chain[number % 3] = try ContextArchive(bytes: forged)
            let forgedChain = chain
            refused += try coordinator.withContext { (context) throws in
                context.undoManager = ObjectUndoManager()
                do throws(GraphError) { try context.restore(forgedChain) } catch {
                    #expect(!context.hasChanges)
                    return 1
                }
                for _ in 0..<3 { try? context.undo() }
                for _ in 0..<3 { try? context.redo() }
                return 0
            }
        }
        #expect(refused > 0)
    }

    private static func withChecksum(_ bytes: [UInt8]) -> [UInt8] {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return bytes + (0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * $0)) }
    }

    @Test("archives of version 3 are readable, and all their deletions count as requested")
    func version3() throws {
        // The status of the post: deleted, as a consequence.
        let status: UInt8 = 0b10_1000
        let world = try World()
        var bytes = try world.run { context in
            let ann = try context.insert("User")
            try ann.setValue("Ann", forKey: "name")
            try context.insert("User").setValue("Bea", forKey: "name")
            try context.insert("Post").relate("author", ann)
            try context.save()
            context.delete(ann)
            return Array(try context.archive().bytes.dropLast(8))
        }
        // The random identifiers before it may have the same byte.
        bytes[try #require(bytes.lastIndex(of: status))] = 0b1000
        bytes[13] = 3
        let archive = try ContextArchive(bytes: Self.withChecksum(bytes))
        try world.run { context in
            let predicate = try ObjectPredicate("name == 'Bea'")
            let bea = try context.fetch(FetchRequest<ManagedObject>("User", predicate: predicate))
            try context.fetch(FetchRequest<ManagedObject>("Post")).first?.relate("author", bea.first)
            try context.save()
        }
        try world.run { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.restore(archive)
            #expect(context.deletedObjects.count == 2)
            try context.save()
            #expect(try context.count(FetchRequest<ManagedObject>("Post")) == 0)
        }
    }

    @Test("archives of version 2 are readable, and values that differ from the default count as set")
    func version2() throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Word") {
                    Attribute("text", .string)
                    Attribute("count", .int64).optional().default(0)
                    UniquenessConstraint("text")
                }
            }
        )
        let coordinator = try Self.coordinator(model)
        let rows: [[String: Value]] = [["text": "a", "count": 3], ["text": "b", "count": 3]]
        try coordinator.execute(BatchInsertRequest("Word", rows: rows))
        for (text, count, expected) in [("a", 7, 7), ("b", 0, 3)] {
            var bytes = try coordinator.withContext { context in
                let word = try context.insert("Word")
                try word.setValue(.string(text), forKey: "text")
                try word.setValue(.integer(Int64(count)), forKey: "count")
                return Array(try context.archive().bytes.dropLast(8))
            }
            // No members, two set properties, and the first of a new object, which didn't have the second.
            let assigned: [UInt8] = [0, 2, 0, 1, 1, 0]
            let place = try #require(bytes.indices.first { bytes[$0...].starts(with: assigned) })
            bytes.replaceSubrange(place..<place + assigned.count, with: [0, 1, 0])
            bytes[13] = 2
            let archive = try ContextArchive(bytes: Self.withChecksum(bytes))
            try coordinator.withContext { (context) throws in
                context.mergePolicy = .mergeByPropertyObjectTrump
                try context.restore(archive)
                try context.save()
                let predicate = try ObjectPredicate("text == %@", text)
                let words = try context.fetch(FetchRequest<ManagedObject>("Word", predicate: predicate))
                #expect(try words.map { try $0.value(forKey: "count") } == [.integer(Int64(expected))])
            }
        }
    }
}
