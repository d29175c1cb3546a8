// SPDX-License-Identifier: Apache-2.0

// The Swift examples of the documentation, each as its page shows it, between marker lines, so that they are compiled
// and run. `print` collects their output.

import Outcrop
import SQLiteStore
import TestSupport
import Testing

enum SwiftExample: String, CaseIterable {
    case readme = "README.md"
    case history = "docs/history.md"
    case migration = "docs/migration.md"
    case modelCheck = "docs/model-check.md"
    case predicates = "docs/predicates.md"
    case sqliteStore = "docs/sqlite-store.md"

    /// Runs the example and returns the lines that it prints. Logged lines go to `sink`.
    func run(log sink: @escaping SQLLog.Sink = { _ in }) throws -> [String] {
        try Checkout.withFolder { folder in try run(in: folder, sink) }
    }

    private func run(in folder: String, _ sink: @escaping SQLLog.Sink) throws -> [String] {
        var lines: [String] = []
        func print(_ item: some CustomStringConvertible) { lines.append(item.description) }
        switch self {
        case .readme:
            // README.md
            let model = try ManagedObjectModel(ModelFile.read(path: "Config/Demo.xcdatamodeld").current.model)
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(InMemoryStore(model: model))

            let tags = try coordinator.withContext { context in
                let tag = try context.insert("Tag")
                try tag.setValue("swift", forKey: "name")
                try context.save()
                return try context.count(FetchRequest("Tag", predicate: ObjectPredicate("name BEGINSWITH %@", "sw")))
            }
            print(tags)  // 1
        // End
        case .history:
            // docs/history.md
            let model = try ManagedObjectModel(ModelFile.read(path: "Config/Demo.xcdatamodeld").current.model)
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(SQLiteStore(path: folder + "/Blog.sqlite", model: model))
            let token = try coordinator.currentHistoryToken()
            try coordinator.withContext { context in
                context.transactionAuthor = "Anna"
                try context.insert("Tag").setValue("coral", forKey: "name")
                try context.save()
            }
            var request = HistoryRequest(after: token)
            request.predicate = try ObjectPredicate("author BEGINSWITH %@", "A")
            let result = try coordinator.history(request)
            print(result.transactions[0].changes[0].objectID.entity.name)  // Tag
            try coordinator.setHistoryConsumer("search", to: result.token)
        // End
        case .migration:
            try Self.makePeople(at: folder + "/People.sqlite")
            // docs/migration.md
            let version1 = try ManagedObjectModel(
                Model {
                    Entity("Person") { Attribute("name", .string).optional() }
                }
            )
            let version2 = try ManagedObjectModel(
                Model {
                    Entity("Person") {
                        Attribute("name", .string).optional()
                        Attribute("first", .string).default("")
                        Attribute("last", .string).default("")
                    }
                }
            )
            let version3 = try ManagedObjectModel(
                Model {
                    Entity("Person") {
                        Attribute("first", .string).default("")
                        Attribute("last", .string).default("")
                    }
                }
            )
            let split: MigrationStage.Closure = { context in
                for person in try context.fetch(FetchRequest<ManagedObject>("Person")) {
                    guard case .string(let name) = try person.value(forKey: "name") else { continue }
                    let words = name.split(separator: " ", maxSplits: 1).map { Value.string(String($0)) }
                    try person.setValue(words.first ?? "", forKey: "first")
                    try person.setValue(words.dropFirst().first ?? "", forKey: "last")
                    try person.setValue(.null, forKey: "name")
                }
            }
            let migration = try ModelMigration(stages: [
                .custom(from: version1, to: version2, didMigrate: split),
                .lightweight(from: version2, to: version3),
            ])
            let report = try SQLiteStore.migrate(path: folder + "/People.sqlite", by: migration, as: .lossless)
            print(report.stages[0].edits.updated)  // 2
        // End
        case .modelCheck:
            // docs/model-check.md
            let version = try ModelFile.read(path: "Config/Demo.xcdatamodeld").current
            let findings = version.findings()
            print(findings.contains { $0.severity == .error } ? "broken" : "fine")  // fine
        // End
        case .predicates:
            // docs/predicates.md
            let predicate = try ObjectPredicate("views > %d AND ANY tags.name == %@", 100, "swift")
            print(predicate)  // views > 100 AND ANY tags.name == "swift"
        // End
        case .sqliteStore:
            // docs/sqlite-store.md
            let model = try ManagedObjectModel(ModelFile.read(path: "Config/Demo.xcdatamodeld").current.model)
            let store = try SQLiteStore(path: folder + "/Blog.sqlite", model: model)
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(store)
            let count = try coordinator.withContext { context in
                try context.insert("Tag").setValue("swift", forKey: "name")
                try context.save()
                return try context.count(FetchRequest("Tag"))
            }
            print(count)  // 1

            let before = store.statistics
            store.sqlLog = SQLLog(level: 4, sink: sink)
            try coordinator.withContext { context in
                let tags = FetchRequest<ManagedObject>("Tag", predicate: try ObjectPredicate("name == %@", "swift"))
                _ = try context.fetch(tags)
            }
            store.sqlLog = .off
            let done = store.statistics.since(before)
            print(done.fetches.objects)  // 1
        // End
        }
        return lines
    }
    /// A store of the first version of docs/migration.md.
    private static func makePeople(at path: String) throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Person") { Attribute("name", .string).optional() }
            }
        )
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(SQLiteStore(path: path, model: model))
        try coordinator.withContext { context in
            for name in ["Ann Ash", "Ben Birch"] {
                try context.insert("Person").setValue(.string(name), forKey: "name")
            }
            try context.save()
        }
    }
}
