// SPDX-License-Identifier: Apache-2.0

// Finds which version of a model a store has.

import AtomicStores
import FoundationEssentials
import ObjectGraph
import ObjectModel
import SQLiteStore

/// The version of a model that a store has.
struct StoredVersion {
    /// The version's name, or that of the store if none of the versions is the one that it carries.
    let name: String
    let model: ManagedObjectModel

    init(name: String, model: ManagedObjectModel) {
        self.name = name
        self.model = model
    }

    /// The version that the store carries, or else the one among others that fits it.
    init(of path: String, kind: StoreKind, among versions: [ModelVersion]) throws {
        var unusable: ModelProblems?
        if kind == .sqlite, let carried = try? SQLiteStore.embeddedModel(path: path) {
            do throws(ModelProblems) {
                model = try ManagedObjectModel(carried)
                let hashes = carried.versionHashes()
                let same =
                    versions.first { $0.model == carried } ?? versions.first { $0.model.versionHashes() == hashes }
                name = same?.name ?? "the store's own model"
                return
            } catch {
                unusable = error
            }
        }
        let fitting = try Self.fitting(path, kind: kind, among: versions)
        guard let first = fitting.first else {
            let reason =
                unusable == nil
                ? "No version of the model fits the store: \(versions.quotedNames)."
                : "The model that the store carries can't be used, and no version fits the store: \(versions.quotedNames)."
            throw Failure(
                reason,
                hint: "Give the model that it was written with: --from FILE",
                issues: unusable?.issues ?? [],
                code: "store.otherModel",
                file: path
            )
        }
        let hashes = first.version.model.versionHashes()
        guard fitting.allSatisfy({ $0.version.model.versionHashes() == hashes }) else {
            throw Failure(
                "Several versions fit the store: \(fitting.map(\.version).quotedNames).",
                hint: "Say which one it has: --from FILE",
                code: "store.otherModel",
                file: path
            )
        }
        name = first.version.name
        model = first.model
    }

    /// The versions that a store can be opened with.
    static func fitting(
        _ path: String,
        kind: StoreKind,
        among versions: [ModelVersion]
    ) throws -> [(version: ModelVersion, model: ManagedObjectModel)] {
        try versions.compactMap { version in
            guard version.readingErrors.isEmpty, let model = try? ManagedObjectModel(version.model),
                try kind.fits(path, model)
            else { return nil }
            return (version, model)
        }
    }
}

extension StoreKind {
    /// Whether a store has a version of a model.
    func fits(
        _ path: String,
        _ model: ManagedObjectModel,
        options: SQLiteStoreOptions = SQLiteStoreOptions()
    ) throws -> Bool {
        guard let format else { return try SQLiteStore.mismatch(path: path, model: model, options: options) == nil }
        do {
            _ = try AtomicStore(path: path, format: format, model: model, isReadOnly: true)
            return true
        } catch {
            guard error.code == .otherModel else { throw error }
            return false
        }
    }
}

extension [ModelVersion] {
    /// “A”, “B” and “C”.
    var quotedNames: String { Wording.list(map { "“\($0.name)”" }) }
}
