// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ObjectGraph
import ObjectModel
import PropertyList
import SQLiteDriver
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Indexes that a model has got later")
struct MissingIndexTests {
    /// - Parameter prefix: What the names of the indexes begin with.
    private static func model(indexed: [String], prefix: String = "by_") throws -> ManagedObjectModel {
        var model = Model {
            Entity("Note") {
                Attribute("title", .string)
                Attribute("rank", .int64)
            }
        }
        model.entities[0].fetchIndexes = indexed.map { name in
            FetchIndex(name: prefix + name, elements: [FetchIndex.Element(.property(name))])
        }
        return try ManagedObjectModel(model)
    }

    /// The names of the entity's indexes.
    private static func indexes(_ path: String) throws -> Set<String> {
        let names = try Connection(path: path).rows("SELECT name FROM sqlite_master WHERE type = 'index'") {
            $0.string(0)
        }
        return Set(names.filter { $0.hasPrefix("Z_Note_") })
    }

    @Test("a store opened with a model that has more indexes gets these, and keeps its others")
    func added() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Notes.sqlite"
            _ = try SQLiteStore(path: path, model: Self.model(indexed: ["title"]))
            #expect(try Self.indexes(path) == ["Z_Note_by_title"])
            _ = try SQLiteStore(path: path, model: Self.model(indexed: ["rank"]))
            #expect(try Self.indexes(path) == ["Z_Note_by_title", "Z_Note_by_rank"])
        }
    }

    @Test("an index whose name has changed only in case is the same")
    func renamed() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Notes.sqlite"
            _ = try SQLiteStore(path: path, model: Self.model(indexed: ["title"]))
            _ = try SQLiteStore(path: path, model: Self.model(indexed: ["title"], prefix: "BY_"))
            #expect(try Self.indexes(path) == ["Z_Note_by_title"])
        }
    }

    @Test("a store is opened without the index while another process writes")
    func locked() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Notes.sqlite"
            _ = try SQLiteStore(path: path, model: Self.model(indexed: []))
            let other = try Connection(path: path)
            try other.execute("BEGIN IMMEDIATE")
            var options = SQLiteStoreOptions()
            options.busyTimeout = .milliseconds(10)
            _ = try SQLiteStore(path: path, model: Self.model(indexed: ["rank"]), options: options)
            try other.execute("ROLLBACK")
            #expect(try Self.indexes(path).isEmpty)
            _ = try SQLiteStore(path: path, model: Self.model(indexed: ["rank"]), options: options)
            #expect(try Self.indexes(path) == ["Z_Note_by_rank"])
        }
    }

    @Test("a store that is only read isn't changed")
    func readOnly() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Notes.sqlite"
            _ = try SQLiteStore(path: path, model: Self.model(indexed: []))
            var options = SQLiteStoreOptions()
            options.isReadOnly = true
            _ = try SQLiteStore(path: path, model: Self.model(indexed: ["rank"]), options: options)
            #expect(try Self.indexes(path).isEmpty)
        }
    }

    @Test("a file of Core Data is left to its app")
    func foreign() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Notes.sqlite"
            _ = try SQLiteStore(path: path, model: Self.model(indexed: []))
            let connection = try Connection(path: path)
            var head = try MetadataRow(connection)
            head.metadata.list["NSPersistenceFrameworkVersion"] = .integer(1)
            try head.write(connection)
            _ = try SQLiteStore(path: path, model: Self.model(indexed: ["rank"]))
            #expect(try Self.indexes(path).isEmpty)
        }
    }
}
