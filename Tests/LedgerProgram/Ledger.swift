// SPDX-License-Identifier: Apache-2.0

// A store whose expected contents are determined by each writer's number of saves.

public import ObjectGraph
import ObjectModel
import Predicates
public import SQLiteStore

/// Batches of items, saved by writers with a counter each. A writer's save replaces its oldest batch by a new one with
/// the same unique value, sometimes reverses the previous batch's items, and increments the counter, which determines
/// the complete expected contents. Each save has a note.
public struct Ledger: Sendable {
    public let store: SQLiteStore
    public let coordinator: PersistentStoreCoordinator

    /// The greatest number of a writer's batches.
    static let slotCount = 5
    static let tagCount = 3

    /// Options that put some payloads into files of their own.
    public static let options: SQLiteStoreOptions = {
        var options = SQLiteStoreOptions()
        options.externalStorageThreshold = 4000
        return options
    }()

    public init(path: String, options: SQLiteStoreOptions = Ledger.options) throws {
        try self.init(SQLiteStore(path: path, model: Self.model.get(), options: options))
    }

    /// The same store, with a new coordinator.
    public func anew() throws -> Ledger { try Ledger(store) }

    private init(_ store: SQLiteStore) throws {
        self.store = store
        coordinator = PersistentStoreCoordinator(model: try Self.model.get())
        try coordinator.add(store)
    }

    public static let model = Result {
        try ManagedObjectModel(
            Model {
                Entity("Counter") {
                    Attribute("name", .string)
                    Attribute("value", .int64).default(0)
                    UniquenessConstraint("name")
                }
                Entity("Batch") {
                    Attribute("slot", .string)
                    Attribute("writer", .int64)
                    Attribute("number", .int64)
                    Attribute("revision", .int64).default(0)
                    Attribute("size", .int64).optional().derived("items.@count")
                    Relationship("items", toMany: "Item", inverse: "batch", deleteRule: .cascade).ordered()
                    UniquenessConstraint("slot")
                }
                Entity("Item") {
                    Attribute("name", .string)
                    Attribute("payload", .binary).optional().externalStorage()
                    Relationship("batch", toOne: "Batch", inverse: "items").optional()
                    Relationship("tags", toMany: "Tag", inverse: "items")
                }
                Entity("Tag") {
                    Attribute("name", .string)
                    Relationship("items", toMany: "Item", inverse: "tags")
                }
            }
        )
    }
}

// MARK: Writing

extension Ledger {
    /// Creates the shared objects and the counters if they are missing.
    public func setUp(writers: Int) throws {
        try coordinator.withContext { context in
            let names = (0..<writers).map { "\($0)" } + ["total"]
            let known = try context.all("Counter").map { try $0.text("name") }
            guard known.isEmpty else { return }
            for name in names { try context.insert("Counter").setValue(.string(name), forKey: "name") }
            for tag in 0..<Self.tagCount { try context.insert("Tag").setValue(.string("\(tag)"), forKey: "name") }
            try context.save()
        }
    }

    /// The number of a writer's saves.
    public func count(of writer: Int) throws -> Int {
        try coordinator.withContext { context in try context.the("Counter", "name", "\(writer)").number("value") }
    }

    static func noteKey(_ writer: Int, _ number: Int) -> String { "save \(number) of \(writer)" }

    /// Performs a writer's next save, repeating it if another writer was faster, and returns its number.
    @discardableResult
    public func save(_ writer: Int) throws -> Int {
        while true {
            do {
                return try coordinator.withContext { context in
                    let number = try write(writer, in: context)
                    try save(number, of: writer, in: context)
                    return number
                }
            } catch let error as GraphError where error.code == .conflict {
                continue
            }
        }
    }

    /// Saves a writer's changes, with a note.
    public func save(_ number: Int, of writer: Int, in context: ManagedObjectContext) throws(GraphError) {
        try context.save { PendingNote(key: Self.noteKey(writer, number)) { _ in Array("\(number)".utf8) } }
    }

    /// Makes the changes of a writer's next save.
    public func write(_ writer: Int, in context: ManagedObjectContext) throws -> Int {
        let counter = try context.the("Counter", "name", "\(writer)")
        let number = try counter.number("value") + 1
        try counter.setValue(.integer(Int64(number)), forKey: "value")
        if Self.counts(number) {
            let total = try context.the("Counter", "name", "total")
            try total.setValue(.integer(Int64(try total.number("value") + 1)), forKey: "value")
        }
        let slot = "\(writer)-\(number % Self.slotCount)"
        for batch in try context.all("Batch", "slot", slot) { context.delete(batch) }
        try insert(number, of: writer, slot, in: context)
        if Self.turnsLast(number) {
            let last = try context.the("Batch", "slot", "\(writer)-\((number - 1) % Self.slotCount)")
            let items = try last.objects(of: last.relationship("items"))
            try last.setObjects(items.reversed(), of: last.relationship("items"))
            try last.setValue(.integer(Int64(number)), forKey: "revision")
        }
        return number
    }

    private func insert(_ number: Int, of writer: Int, _ slot: String, in context: ManagedObjectContext) throws {
        let tags = try (0..<Self.tagCount).map { try context.the("Tag", "name", "\($0)") }
        let batch = try context.insert("Batch")
        try batch.setValue(.string(slot), forKey: "slot")
        try batch.setValue(.integer(Int64(writer)), forKey: "writer")
        try batch.setValue(.integer(Int64(number)), forKey: "number")
        var items: [ManagedObject] = []
        for place in 0..<Self.size(number) {
            let item = try context.insert("Item")
            try item.setValue(.string("\(writer)-\(number)-\(place)"), forKey: "name")
            try item.setValue(.data(Self.payload(number, place)), forKey: "payload")
            let own = Self.tags(number, place).map { tags[$0] }
            try item.setObjects(own, of: item.relationship("tags"))
            items.append(item)
        }
        try batch.setObjects(items, of: batch.relationship("items"))
    }
}
