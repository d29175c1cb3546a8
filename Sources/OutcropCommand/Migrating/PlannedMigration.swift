// SPDX-License-Identifier: Apache-2.0

// The migration of a store to a version of a model: its stages, its execution, and the copy that is kept.

import AtomicStores
import Files
import FoundationEssentials
import ObjectGraph
import ObjectModel
import SQLiteStore

/// A migration of one store.
struct PlannedMigration {
    let path: String
    let kind: StoreKind
    let stored: StoredVersion
    let target: ModelVersion
    /// Nil if the store has this version already.
    let migration: ModelMigration?
    /// The names of the versions that the stages begin and end with.
    let versionNames: [String]
    private let rules: MappingRules?
    /// Whether an app has written the store with Core Data.
    let isOfApp: Bool

    /// Plans one stage if it can be inferred, or else a stage for each version between.
    ///
    /// - Parameters:
    ///   - origin: The version of a store that carries none; nil to find it among all versions.
    ///   - versions: The versions of the model, from the oldest to the newest.
    ///   - rules: Rules for what names don't say; nil if only those in user info apply.
    init(
        of path: String,
        kind: StoreKind,
        from origin: ModelVersion? = nil,
        to target: ModelVersion,
        among versions: [ModelVersion],
        rules: MappingRules? = nil
    ) throws {
        self.path = path
        self.kind = kind
        self.target = target
        self.rules = rules
        isOfApp = kind == .sqlite ? (try? SQLiteStore.isOfCoreData(path: path)) ?? false : false
        stored = try StoredVersion(of: path, kind: kind, among: origin.map { [$0] } ?? versions)
        let model: ManagedObjectModel
        do {
            model = try ManagedObjectModel(target.model)
        } catch {
            throw Failure("“\(target.name)” has errors, so no store can be migrated to it.", issues: error.issues)
        }
        guard rules != nil || !ModelDiff(from: stored.model.model, to: target.model).entities.isEmpty else {
            migration = nil
            versionNames = []
            return
        }
        do {
            let stages = try MigrationStages(from: stored, to: model, of: target, among: versions, rules: rules)
            guard stages.migration.mappings.allSatisfy({ mapping in mapping.entities.contains { $0.source != nil } })
            else { throw Failure.unrelated(path, stored, target) }
            migration = stages.migration
            versionNames = stages.versionNames
        } catch let error as MigrationObstacles {
            throw Self.failure(error, path, stored, target)
        }
    }

    private static func failure(
        _ obstacles: MigrationObstacles,
        _ path: String,
        _ stored: StoredVersion,
        _ target: ModelVersion
    ) -> Failure {
        Failure(
            "\(path) can't be migrated from “\(stored.name)” to “\(target.name)”: "
                + "\(Wording.count(obstacles.issues.count, "obstacle")).",
            issues: obstacles.issues
        )
    }

    var hasRules: Bool { rules != nil }

    /// What the migration loses, and what may need attention afterwards, in the words of `model diff`.
    var consequences: [ModelIssue] {
        (migration?.mappings ?? []).flatMap { mapping in
            ModelDiff(from: mapping.old, to: mapping.new, rules: rules ?? MappingRules()).consequences
        }
    }

    func run(_ mode: MigrationMode, progress: MigrationProgress? = nil) throws -> MigrationReport {
        guard let migration else { return MigrationReport() }
        if let format = kind.format {
            return try AtomicStore.migrate(path: path, format: format, by: migration, as: mode)
        }
        var options = SQLiteStoreOptions()
        options.findsConfiguration = true
        return try SQLiteStore.migrate(path: path, by: migration, as: mode, options: options, progress: progress)
    }

    /// Copies the store as it is.
    func backUp(to copy: String) throws { try kind.backUp(path, to: copy) }

    /// Removes a copy that isn't needed, since the store is as it was.
    func removeCopy(_ copy: String) {
        for file in kind == .sqlite ? SQLiteStore.filesOfStore(at: copy) : [copy] where FileSystem.exists(file) {
            try? FileManager.default.removeItem(atPath: file)
        }
    }

    /// `App-before-Blog-2-20261126T134000.sqlite`, beside the store.
    var backupPath: String {
        let file = URL(filePath: path)
        let allowed = target.name.map { $0.isLetter || $0.isNumber ? $0 : "-" }
        let name = file.deletingPathExtension().lastPathComponent + "-before-\(String(allowed))-\(TimeStamp.now)"
        let suffix = file.pathExtension.isEmpty ? "" : "." + file.pathExtension
        return file.deletingLastPathComponent().path + "/" + name + suffix
    }
}

extension Failure {
    fileprivate static func unrelated(_ path: String, _ stored: StoredVersion, _ target: ModelVersion) -> Failure {
        Failure(
            "“\(target.name)” has none of the entities of “\(stored.name)”, so the migration would delete all objects.",
            hint: "Is that the right model? If entities were renamed, give them renaming identifiers.",
            code: "store.otherModel",
            file: path
        )
    }
}
