// SPDX-License-Identifier: Apache-2.0

// One workload on one file, with its arguments.

import Outcrop

/// What a process of its own does: opens the store of a file, and does one workload.
struct Workload {
    private let name: String
    private let path: String
    private let arguments: [String: Int]
    let coordinator: PersistentStoreCoordinator
    let store: SQLiteStore

    init(_ values: [String]) throws {
        guard values.count >= 2 else { throw BenchError("usage: StoreBenchmarks run WORKLOAD FILE [NAME=VALUE]...") }
        (name, path) = (values[0], values[1])
        let pairs = values.dropFirst(2).compactMap { text -> (String, Int)? in
            let parts = text.split(separator: "=")
            guard parts.count == 2, let number = Int(parts[1]) else { return nil }
            return (String(parts[0]), number)
        }
        arguments = Dictionary(pairs) { _, last in last }
        let model = try ManagedObjectModel(Model.world)
        var options = SQLiteStoreOptions()
        options.isDurable = arguments["durable"] != 0
        store = try SQLiteStore(path: path, model: model, options: options)
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
    }

    func run() throws {
        switch name {
        case "make": break
        case "insert": try insertPosts()
        case "update": try updatePosts()
        case "batch-insert": try batchInsert()
        case "batch-update": try batchUpdate()
        case "batch-delete": try batchDelete()
        case "cascade": try cascadeByContext()
        case "cascade-batch": try cascadeByBatch()
        case "engine": try fireAndChange()
        case "point": try readPoints()
        case "page": try readPages()
        case "include": try readIncludes()
        case "hop": try readHops()
        case "cursor": try readByCursor()
        case "member": try addMember()
        default: throw BenchError("There is no workload \(name).")
        }
    }
}

extension Workload {
    func option(_ name: String) throws -> Int {
        guard let value = arguments[name] else { throw BenchError("There is no \(name).") }
        return value
    }

    func id(_ entity: String, _ key: Int) throws -> ManagedObjectID {
        guard let entity = coordinator.model.entity(named: entity) else { throw BenchError("There is no \(entity).") }
        return ManagedObjectID(entity: entity, store: store.identifier, reference: .integer(Int64(key)))
    }

    /// Where the n-th operation goes.
    func spread(_ n: Int, _ count: Int) -> Int { 1 + n * 7919 % count }

    static func content(_ characters: Int) -> String {
        let sentence = "Whoever writes a post has something to say, and says it in as many words as it takes. "
        return String(String(repeating: sentence, count: characters / sentence.count + 1).prefix(characters))
    }
}

/// What keeps the benchmarks from going on.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
