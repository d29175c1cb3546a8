// SPDX-License-Identifier: Apache-2.0

// The compiled model that a store carries, by which it is opened without any other and known to be of another.

import ObjectGraph
import ObjectModel
import SQLiteDriver

/// What is in `Z_MODELCACHE`.
struct CarriedModel {
    /// The model, or why it can't be read.
    let content: Result<Model, ModelError>

    /// Nil where the store carries none, as those of old frameworks.
    init?(_ connection: Connection) throws {
        let stored = try connection.first("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1") { $0.bytes(0) }
        guard let stored, !stored.isEmpty else { return nil }
        content = Result { () throws(ModelError) in try Model(compiled: stored) }
    }

    var model: Model {
        get throws(StoreError) {
            switch content {
            case .success(let model): return model
            case .failure(let error): throw .unreadableModel(error)
            }
        }
    }

    static func write(_ model: ManagedObjectModel, _ connection: Connection) throws {
        let content = try model.model.compiledForStore()
        try connection.execute("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (\(value: .blob(content)))")
    }
}

extension CarriedModel? {
    /// The model to open a store with: the one that was given, if the store is of it, or else the one that it carries.
    func fit(_ given: ManagedObjectModel?, _ metadata: StoredMetadata) throws -> ManagedObjectModel {
        guard let given else {
            guard let self else { throw StoreError.carriesNoModel }
            let model = try self.model
            do {
                return try ManagedObjectModel(model)
            } catch {
                throw StoreError.unusableModel(error)
            }
        }
        let hashes = given.model.versionHashes()
        // Where the model can't be read, its hashes may still be among the metadata.
        if case .success(let model)? = self?.content {
            guard hashes != model.versionHashes() else { return given }
            throw StoreError.otherModel(ModelDiff(from: model, to: given.model))
        }
        if let stored = metadata.versionHashes, stored != hashes.mapValues(\.bytes) {
            let entities = hashes.filter { stored[$0.key] != $0.value.bytes }.map(\.key).sorted()
            throw StoreError.otherModel(entities)
        }
        return given
    }
}

extension StoreError {
    static let carriesNoModel = StoreError(
        .noModel,
        "The store carries no model.",
        hint: "Open it with the model that it was written with."
    )

    static func unreadableModel(_ error: ModelError) -> StoreError {
        StoreError(
            .noModel,
            "The model that the store carries can't be read: \(error.message)",
            hint: "Open it with the model that it was written with."
        )
    }

    static func unusableModel(_ problems: ModelProblems) -> StoreError {
        StoreError(.noModel, "The model that the store carries can't be used: \(problems)")
    }

    fileprivate static func otherModel(_ diff: ModelDiff) -> StoreError {
        let lines = diff.entities.filter(\.changesStorage).flatMap(\.lines)
        let rest = lines.count > 5 ? ", and \(lines.count - 5) more" : ""
        return StoreError(
            .otherModel,
            "The store was written with another version of the model. \(lines.prefix(5).joined(separator: "; "))\(rest).",
            hint: "Open it with the model that it was written with, or without one: it carries its own."
        )
    }

    fileprivate static func otherModel(_ entities: [String]) -> StoreError {
        StoreError(
            .otherModel,
            "The store was written with another version of the model: \(entities.joined(separator: ", ")) differ."
        )
    }
}
