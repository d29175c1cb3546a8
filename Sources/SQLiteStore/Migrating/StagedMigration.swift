// SPDX-License-Identifier: Apache-2.0

// The stages of a migration, one after the other, within the transaction of a migration.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import SQLiteDriver

/// Executes the stages that a file needs.
///
///     willMigrate ──▶ rules ──▶ tables ──▶ indexes, derived values ──▶ didMigrate ──▶ check of new rules
///
/// 1. A closure gets a store whose version is complete: its tables, derived values and unique indexes.
/// 2. What closures have done before counts as the state that a stage may lose something of.
struct StagedMigration {
    private let run: MigrationRun
    private let connection: Connection
    private let placement: ExternalPlacement

    init(of run: MigrationRun, on connection: Connection, placement: ExternalPlacement) {
        self.run = run
        self.connection = connection
        self.placement = placement
    }

    /// The tables of a version, and the configuration that they are for.
    private typealias Version = (tables: StoreTables, configuration: String?)

    /// Executes the stages, and records the last version. Throws if the mode doesn't allow what has become of the objects.
    func execute() throws -> MigrationReport {
        let beginning = try findBeginning()
        if let save = try connection.preparedSaves().first?.save { throw StoreError.undecided(save) }
        guard let migration = beginning.rest else { return MigrationReport() }
        var version = beginning.version
        var report = MigrationReport()
        for stage in migration.stages {
            report.stages.append(try migrate(&version, by: stage))
            // Closures may rely on the constraints of their version.
            if migration.isCustom, !report.obstacles.isEmpty { break }
        }
        if let reason = report.reason(against: run.mode) {
            throw StoreError(.otherModel, reason.message, hint: reason.hint)
        }
        try connection.record(migration)
        return report
    }

    /// Finds the version that the file has.
    private func findBeginning() throws -> (version: Version, rest: ModelMigration?) {
        let found = try run.migration.beginning { version in
            guard let fitted = try run.opening.tables(of: version, connection) else {
                throw StoreError.missing(run.path, .store)
            }
            return fitted
        } unless: { error in
            (error as? StoreError)?.code == .otherModel
        }
        let fitted = found.fit.tables
        let tables = tables(fitted.schema, identifier: fitted.identifier, keepsHistory: fitted.history?.isKept == true)
        return ((tables, found.fit.configuration), found.rest)
    }

    private func tables(_ schema: StoreSchema, identifier: UUID, keepsHistory: Bool) -> StoreTables {
        StoreTables(
            schema,
            identifier: identifier,
            files: run.opening.files,
            triggered: run.triggered,
            history: keepsHistory ? StoreHistoryStatus(.on, hasTables: true, isForeign: false) : nil
        )
    }

    private func migrate(_ version: inout Version, by stage: ResolvedStage) throws -> MigrationReport.Stage {
        var edits = try edit(version, by: stage.willMigrate)
        let schema = try StoreSchema(stage.mapping, from: version.tables.schema, version.configuration)
        let steps = try StoreMigration(from: version.tables.schema, to: schema, by: stage.mapping, connection)
        var result = try steps.result()
        let links = try steps.linkCounts()
        let next = tables(
            schema,
            identifier: version.tables.identifier,
            keepsHistory: version.tables.history != nil
        )
        let ruled = try ruledRows(stage.mapping, from: version.tables, to: next, into: &result)
        try reporting(of: result.rewrittenCount) { try steps.run(with: ruled) }
        try HistoryMigration(from: version.tables, to: next, by: stage.mapping, connection).run()
        version.tables = next
        let duplicates = try finish(steps, in: next)
        result.losses += try steps.lostLinks(before: links)
        if duplicates.isEmpty { edits += try edit(version, by: stage.didMigrate) }
        result.edits = edits
        let reader = StoreReader(connection: connection, tables: next)
        for plan in stage.mapping.plans where schema.table(of: plan.destination) != nil {
            result.violations += try reader.violations(of: plan)
        }
        result.violations += duplicates
        return result
    }

    /// Calls a closure of a stage with a context over the tables as they are at the moment.
    private func edit(_ version: Version, by closure: MigrationStage.Closure?) throws -> MigrationReport.Edits {
        guard let closure else { return MigrationReport.Edits() }
        let store = MigrationStore(version.tables, of: run, on: connection, placement: placement)
        let edits = try store.edit(
            in: version.tables.model,
            configuration: version.configuration,
            by: closure
        )
        try store.checkTransaction()
        return edits
    }

    /// Evaluates the rules of a stage.
    private func ruledRows(
        _ mapping: ResolvedMapping,
        from tables: StoreTables,
        to next: StoreTables,
        into result: inout MigrationReport.Stage
    ) throws -> [RuledRows] {
        let reader = StoreReader(connection: connection, tables: tables)
        return try mapping.plans.enumerated().compactMap { place, plan in
            guard let rows = try RuledRows(plan, at: place, by: mapping, to: next, connection) else { return nil }
            let excluded = try rows.evaluate(from: reader)
            result.exclude(excluded, of: plan.source.name)
            return rows
        }
    }

    /// Runs the steps of a stage, and reports their progress.
    private func reporting(of expected: Int, _ steps: () throws -> Void) throws {
        guard let progress = run.progress else { return try steps() }
        try connection.reportingRows(to: { progress($0, expected) }, steps)
    }

    /// Computes derived values and makes the indexes. Returns the objects that unique indexes forbid, which aren't made then.
    private func finish(_ steps: StoreMigration, in tables: StoreTables) throws -> [MigrationReport.Violation] {
        let folder = run.opening.files.folder
        try steps.removeIndexes()
        try steps.createIndexes(unique: false)
        if steps.needsDerivation {
            try StoreCheck(connection: connection, tables: tables, folder: folder).deriveAll()
        }
        let duplicates = try steps.duplicates(in: tables, folder)
        if duplicates.isEmpty { try steps.createIndexes(unique: true) }
        return duplicates
    }
}

extension Connection {
    /// Records the model of the rows. Core Data's hashes would be those of another version.
    fileprivate func record(_ migration: ModelMigration) throws {
        let model = migration.new
        var head = try MetadataRow(self)
        head.metadata.replaceModel(by: model, hashesDiffer: migration.changesRows)
        try head.write(self)
        try execute("CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT BLOB)")
        try execute("DELETE FROM Z_MODELCACHE")
        try EmbeddedModel.write(model, self)
    }
}

extension StoreSchema {
    /// The tables of a new version. Entities keep their numbers, so that their rows needn't change.
    fileprivate init(_ mapping: ResolvedMapping, from old: StoreSchema, _ configuration: String?) throws {
        var stored: [String: Int64] = [:]
        for (name, former) in mapping.mapping.formerNames {
            guard let entity = mapping.old.entity(named: former), old.numbers[entity] != 0 else { continue }
            stored[name] = old.numbers[entity]
        }
        let isKept = try mapping.new.isKept(configuration)
        self.init(
            mapping.new,
            EntityNumbers(mapping.new, stored: stored, reserved: Set(old.numbers.all), where: isKept)
        )
    }
}
