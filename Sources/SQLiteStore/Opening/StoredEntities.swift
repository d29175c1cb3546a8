// SPDX-License-Identifier: Apache-2.0

// The entities that a store lists, which are compared with the model if the store carries none.

import ObjectGraph
import ObjectModel
import SQLiteDriver

/// The content of `Z_PRIMARYKEY`, and the entity names in Core Data's metadata.
struct StoredEntities {
    /// The number of each entity, without those of the persistent history.
    let numbers: [String: Int64]
    /// The names for which Core Data has stored a version hash, or nil.
    private let hashedNames: Set<String>?

    /// Entities of the persistent history, which are in no model, have numbers from this one.
    static let firstHistoryNumber: Int64 = 16000

    /// - Parameter model: The model to open the store with. Its entities are never history entities,
    ///   whatever their numbers.
    init(_ metadata: StoredMetadata, of model: ManagedObjectModel, _ connection: Connection) throws {
        let rows = try connection.rows("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY") { ($0.string(0), $0.int64(1)) }
        guard Set(rows.map(\.0)).count == rows.count else { throw StoreError.repeatedNames }
        numbers = Dictionary(
            uniqueKeysWithValues:
                rows.filter { $0.1 < Self.firstHistoryNumber || model.entity(named: $0.0) != nil }
        )
        hashedNames = metadata.hashedNames
    }

    var names: Set<String> { Set(numbers.keys) }

    /// How the entities of a model differ from those of the store. A configuration may have only some of them.
    func difference(from model: ManagedObjectModel, _ configuration: String?) -> EntityDifference {
        let known = Set(model.entities.map(\.name))
        let chosen = model.model.configurations.first { $0.name == configuration }
        let expected = chosen.map { Set($0.entityNames) } ?? known
        var stored = names
        // After a migration, a renamed entity has its former name here.
        for entity in model.entities where hashedNames?.contains(entity.name) ?? false && numbers[entity.name] == nil {
            guard let former = entity.entity.renamingIdentifier, stored.remove(former) != nil else { continue }
            stored.insert(entity.name)
        }
        return EntityDifference(
            lacking: stored.union(hashedNames ?? []).subtracting(known),
            additional: expected.subtracting(stored).union(hashedNames.map { expected.subtracting($0) } ?? [])
        )
    }
}

/// How the entities of a model differ from those of a store.
struct EntityDifference {
    /// Entities of the store that the model lacks.
    var lacking: Set<String> = []
    /// Entities of the model that the store lacks.
    var additional: Set<String> = []
    /// Entities of both that differ.
    var changed: Set<String> = []

    var isEmpty: Bool { lacking.isEmpty && additional.isEmpty && changed.isEmpty }

    /// One sentence for each kind of difference.
    var sentences: [String] {
        var sentences: [String] = []
        if !lacking.isEmpty { sentences.append("The store has \(Self.list(lacking)) that this model doesn't have.") }
        if !additional.isEmpty {
            sentences.append("This model has \(Self.list(additional)) that the store doesn't have.")
        }
        if !changed.isEmpty {
            sentences.append("The store has another version of \(Self.list(changed)).")
        }
        return sentences
    }

    /// “the entity A”, “the entities A, B and C”, “A, B and 4 more entities”.
    private static func list(_ names: Set<String>) -> String {
        let names = names.sorted()
        return switch names.count {
        case 1: "the entity \(names[0])"
        case 2, 3: "the entities \(names.dropLast().joined(separator: ", ")) and \(names[names.count - 1])"
        default: "\(names[0]), \(names[1]) and \(names.count - 2) more entities"
        }
    }
}
