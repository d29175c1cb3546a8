// SPDX-License-Identifier: Apache-2.0

// Two stores that must contain the same saves.

import FoundationEssentials
public import ObjectGraph
import ObjectModel
import Predicates
public import SQLiteStore

/// Writers that save entries with the same number into two stores, and delete older ones.
public struct PairLedger: Sendable {
    public let coordinator: PersistentStoreCoordinator

    public static let names = ["Left", "Right"]
    /// The greatest number of entries of a writer.
    private static let keptCount = 5

    /// - Parameters:
    ///   - names: The stores to open, in order.
    ///   - wrap: Replaces a store in the coordinator.
    public init(
        _ folder: String,
        _ names: [String] = PairLedger.names,
        options: SQLiteStoreOptions = Ledger.options,
        wrap: (SQLiteStore) -> any PersistentStore = { $0 }
    ) throws {
        let model = try Self.model.get()
        coordinator = PersistentStoreCoordinator(model: model)
        for name in names {
            var options = options
            options.externalStorageThreshold = Ledger.options.externalStorageThreshold
            options.configuration = name
            let store = try SQLiteStore(path: "\(folder)/\(name).sqlite", model: model, options: options)
            try coordinator.add(wrap(store), configuration: name)
        }
    }

    private static let model = Result {
        try ManagedObjectModel(
            Model {
                for name in names {
                    Entity(name) {
                        Attribute("key", .string)
                        Attribute("writer", .string)
                        Attribute("number", .int64)
                        Attribute("payload", .binary).optional().externalStorage()
                        UniquenessConstraint("key")
                    }
                    Entity("\(name)Only") { Attribute("writer", .string) }
                    Configuration(name, entities: [name, "\(name)Only"])
                }
            }
        )
    }

    /// Saves a writer's next entries into both stores, and then one entry into one of them.
    public func save(_ writer: String, _ number: Int) throws {
        try coordinator.withContext { context in
            for name in Self.names {
                let entry = try context.insert(name)
                try entry.setValue(.string("\(writer) \(number)"), forKey: "key")
                try entry.setValue(.string(writer), forKey: "writer")
                try entry.setValue(.integer(Int64(number)), forKey: "number")
                try entry.setValue(.data(Ledger.payload(number, 1)), forKey: "payload")
                for old in try context.all(name, "key", "\(writer) \(number - Self.keptCount)") { context.delete(old) }
            }
            try context.save()
        }
        let name = Self.names[number % 2] + "Only"
        try coordinator.withContext { context in
            try context.insert(name).setValue(.string(writer), forKey: "writer")
            try context.save()
        }
    }

    /// The greatest number of a writer's entries in a store, and the problems of its entries there.
    public func latest(of writer: String, in name: String) throws -> (number: Int, problems: [String]) {
        try coordinator.withContext { context in
            let entries = try context.all(name, "writer", writer)
            let numbers = try entries.map { try $0.number("number") }.sorted()
            let latest = numbers.last ?? 0
            var problems: [String] = []
            let expected = Array(max(1, latest - Self.keptCount + 1)..<(latest + 1))
            if numbers != expected { problems.append("\(name) of \(writer) has \(numbers), not \(expected)") }
            for entry in entries {
                let payload = Ledger.payload(try entry.number("number"), 1)
                if try entry.value(forKey: "payload") != .data(payload) { problems.append("A payload is another one") }
            }
            return (latest, problems)
        }
    }
}
