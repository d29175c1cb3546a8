// SPDX-License-Identifier: Apache-2.0

// The compiled model in a store, which opens the store without another model and is compared with a given one.

import ObjectGraph
import ObjectModel
import SQLiteDriver

/// The content of `Z_MODELCACHE`.
struct EmbeddedModel {
    /// The model, or the reason why it can't be read.
    let content: Result<Model, ModelError>

    /// Nil if the store carries no model, as stores of old frameworks don't.
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

extension EmbeddedModel? {
    /// The model to open a store with: the given one if the store matches it; without one, the model
    /// that the store carries.
    func fit(_ given: ManagedObjectModel?, _ metadata: StoredMetadata) throws -> ManagedObjectModel {
        guard let given else {
            guard let self else { throw StoreError.hasNoEmbeddedModel }
            let model = try self.model
            do {
                return try ManagedObjectModel(model)
            } catch {
                throw StoreError.unusableModel(error)
            }
        }
        let hashes = given.model.versionHashes()
        // If the model can't be read, its hashes may still be in the metadata.
        if case .success(let model)? = self?.content {
            guard hashes != model.versionHashes() else { return given }
            throw StoreError.otherModel(ModelDiff(from: model, to: given.model))
        }
        if let stored = metadata.versionHashes, stored != hashes.mapValues(\.bytes) {
            let old = Set(stored.keys)
            let new = Set(hashes.keys)
            throw StoreError.otherModel(
                EntityDifference(
                    lacking: old.subtracting(new),
                    additional: new.subtracting(old),
                    changed: old.intersection(new).filter { stored[$0] != hashes[$0]?.bytes }
                )
            )
        }
        return given
    }

    /// Whether a given model could be compared as a whole.
    var isReadable: Bool {
        guard case .success = self?.content else { return false }
        return true
    }
}

extension StoreError {
    static let hasNoEmbeddedModel = StoreError(
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
        let entities = EntityDifference(
            lacking: Set(diff.entities.filter { $0.kind == .removed }.map(\.name)),
            additional: Set(diff.entities.filter { $0.kind == .added }.map(\.name))
        )
        let lines = diff.entities.filter { $0.kind == .changed }.flatMap(\.storageLines)
        let rest = lines.count > 5 ? ", and \(lines.count - 5) more" : ""
        let changes = "This model differs from the store: \(lines.prefix(5).joined(separator: "; "))\(rest)."
        return StoreError(
            .otherModel,
            (entities.sentences + (lines.isEmpty ? [] : [changes])).joined(separator: " "),
            hint: "Open it with the model that it was written with, or without one: it carries its own."
        )
    }

    static func otherModel(_ difference: EntityDifference) -> StoreError {
        StoreError(
            .otherModel,
            difference.sentences.joined(separator: " "),
            hint: "Open it with the version of the model that it was written with; it carries none that can be read."
        )
    }
}
