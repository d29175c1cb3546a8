// SPDX-License-Identifier: Apache-2.0

// The Swift examples of the documentation, each as its page shows it, between marker lines, so that they are compiled
// and run. `print` collects their output.

import Outcrop
import SQLiteStore
import TestSupport
import Testing

enum SwiftExample: String, CaseIterable {
    case readme = "README.md"
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
}
