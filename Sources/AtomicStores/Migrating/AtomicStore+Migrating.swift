// SPDX-License-Identifier: Apache-2.0

// Migrates the file of an atomic store to another version of its model.

import FoundationEssentials
public import ObjectGraph
import ObjectModel
import Predicates
import Synchronization

extension AtomicStore {
    /// Migrates a store's file, which is replaced at once: if it fails, the file is as before.
    @discardableResult
    public static func migrate(
        path: String,
        format: some AtomicFileFormat,
        by migration: ModelMigration,
        as mode: MigrationMode = .complete
    ) throws -> MigrationReport {
        let file = try StoreFile(path: path, format: format)
        let isReadOnly = mode == .rehearsal
        let (store, rest) = try migration.beginning { version in
            try AtomicStore(file: file, model: version, isReadOnly: isReadOnly, mustExist: true)
        } unless: { error in
            error.isOtherModel
        }
        return try rest.map { try store.migrated(by: $0, as: mode).report } ?? MigrationReport()
    }
}

extension AtomicStore: MigratingStore {
    public var isMigrated: Bool { hasMigrated.withLock(\.self) }

    public var migrationCount: Int64 { memory.withLock { $0.metadata.migrationCount } }

    /// Migrates the store, and replaces its file at once if it has one.
    public func migrated(
        by migration: ModelMigration,
        as mode: MigrationMode
    ) throws -> (store: (any PersistentStore)?, report: MigrationReport) {
        try hasMigrated.withLock { isMigrated in
            if isMigrated { throw StoreFileError.migrated(file?.path) }
            if mode != .rehearsal {
                guard !isReadOnly else { throw StoreFileError.readOnly(file?.path) }
                if let file { try finishCommit(of: file) }
            }
            let (beginning, rest) = try beginning(of: migration)
            var next = beginning
            let report = try rest.map { try migrate(&next, by: $0) } ?? MigrationReport()
            if let reason = report.reason(against: mode) { throw StoreFileError.unmigratable(reason, file?.path) }
            guard mode != .rehearsal else { return (nil, report) }
            if rest?.changesRows == true { next.metadata.countMigration() }
            let store = AtomicStore(self, in: migration.new, with: next)
            try file?.write(store.content(of: next), model: migration.new)
            isMigrated = true
            return (store, report)
        }
    }

    /// The content in the first version of a migration that the store has, and the stages that remain.
    private func beginning(of migration: ModelMigration) throws -> (MemoryState, rest: ModelMigration?) {
        let hashes = model.model.versionHashes()
        let (version, rest) = try migration.beginning { version in
            let others = version.model.versionHashes()
            let names = Set(hashes.keys).union(others.keys).filter { hashes[$0] != others[$0] }
            guard names.isEmpty else { throw StoreFileError.otherModel(names.sorted()) }
            return version
        } unless: { error in
            error.isOtherModel
        }
        var memory = memory.withLock(\.self)
        if version !== model {
            let mapping = ResolvedMapping(ModelMapping(from: model.model, to: version.model), from: model, to: version)
            memory.state = try memory.state.migrated(by: mapping)
            memory.history = memory.history.migrated(by: mapping)
        }
        return (memory, rest)
    }

    /// Executes the stages of a migration, each with its closures.
    private func migrate(_ memory: inout MemoryState, by migration: ModelMigration) throws -> MigrationReport {
        var report = MigrationReport()
        for stage in migration.stages {
            var edits = try edit(&memory, in: stage.mapping.old, by: stage.willMigrate)
            let former = memory.state
            memory.state = try former.migrated(by: stage.mapping)
            memory.history = memory.history.migrated(by: stage.mapping)
            memory.state.deriveAll(by: Derivations(stage.mapping.new))
            var result = MigrationReport.Stage(from: former, to: memory.state, by: stage.mapping)
            let duplicates = memory.state.duplicates(in: stage.mapping.new)
            if duplicates.isEmpty { edits += try edit(&memory, in: stage.mapping.new, by: stage.didMigrate) }
            result.edits = edits
            result.violations = stage.mapping.plans.flatMap { memory.state.violations(of: $0) } + duplicates
            report.stages.append(result)
            // Closures may rely on the constraints of their version.
            if migration.isCustom, !report.obstacles.isEmpty { break }
        }
        return report
    }

    /// Calls a closure of a stage with a context over the content.
    private func edit(
        _ memory: inout MemoryState,
        in model: ManagedObjectModel,
        by closure: MigrationStage.Closure?
    ) throws -> MigrationReport.Edits {
        guard let closure else { return MigrationReport.Edits() }
        let store = AtomicStore(self, in: model, with: memory, hasFile: false)
        let edits = try store.edit(in: model, by: closure)
        memory = store.memory.withLock(\.self)
        return edits
    }
}

extension AtomicState {
    /// Recomputes all derived values; the time of a row's last save stays.
    fileprivate mutating func deriveAll(by derivations: Derivations) {
        let objects = Set(rows.keys.filter { !derivations.attributes(of: $0.entity).isEmpty })
        guard !objects.isEmpty else { return }
        let evaluator = Evaluator(now: .now)
        for _ in 0..<Derivations.roundLimit {
            let changed = recompute(objects, saved: [], by: derivations, with: evaluator)
            if changed.isEmpty || !derivations.areChained { return }
        }
    }
}

extension MigrationReport.Stage {
    fileprivate init(from old: AtomicState, to new: AtomicState, by mapping: ResolvedMapping) {
        self.init()
        for plan in mapping.plans {
            let objects = old.tables[plan.source]?.members ?? []
            let remaining = new.tables[plan.destination]?.members ?? []
            entities.append(
                .init(
                    name: plan.destination.name,
                    formerName: plan.source.name,
                    outcome: .rewritten,
                    objectCount: objects.count
                )
            )
            if plan.rules?.filter != nil { exclude(objects.count - remaining.count, of: plan.source.name) }
            for property in mapping.lost(of: plan) {
                let lost =
                    switch property {
                    case .attribute(let attribute):
                        objects.count { old.rows[$0]?.row.attributes[attribute.slot] != .null }
                    case .relationship(let relationship): old.linkCount(of: relationship, plan.source)
                    case .fetched: 0
                    }
                guard lost > 0 else { continue }
                losses.append(.init(entity: plan.source.name, property: property.name, objectCount: lost))
            }
            for (name, source) in plan.relationships {
                guard let relationship = plan.destination.relationship(named: name) else { continue }
                let before = old.linkCount(of: source, plan.source)
                let lost = before - new.linkCount(of: relationship, plan.destination)
                guard lost > 0 else { continue }
                losses.append(.init(entity: plan.source.name, property: source.name, objectCount: lost))
            }
        }
        for name in mapping.mapping.removed {
            guard let entity = mapping.old.entity(named: name) else { continue }
            let count = old.tables[entity]?.members.count ?? 0
            entities.append(.init(name: name, formerName: name, outcome: .deleted, objectCount: count))
        }
    }
}

extension AtomicState {
    /// The number of references in a relationship of an entity's objects.
    fileprivate func linkCount(of relationship: RelationshipDescription, _ entity: EntityDescription) -> Int {
        let objects = tables[entity]?.members ?? []
        guard relationship.isToMany else { return objects.count { rows[$0]?.row.toOnes[relationship.slot] != nil } }
        return objects.reduce(0) { $0 + members(of: relationship, owner: $1).count }
    }

    /// The objects of an entity that break rules that are new.
    fileprivate func violations(of plan: ResolvedMapping.EntityPlan) -> [MigrationReport.Violation] {
        guard var rules = NewRules(plan) else { return [] }
        let objects = (tables[plan.destination]?.members ?? []).sorted { $0.number < $1.number }
        for case let snapshot? in objects.map({ rows[$0] }) {
            let counts = rules.toManys.map { members(of: $0, owner: snapshot.objectID).count }
            rules.check(snapshot, memberCounts: counts)
        }
        return rules.violations
    }

    /// Objects with the same values of a uniqueness constraint.
    fileprivate func duplicates(in model: ManagedObjectModel) -> [MigrationReport.Violation] {
        model.entities.flatMap { duplicates(in: $0, of: model) }
    }

    /// Objects with the same values of a uniqueness constraint that an entity declares itself.
    private func duplicates(
        in entity: EntityDescription,
        of model: ManagedObjectModel
    ) -> [MigrationReport.Violation] {
        entity.entity.uniquenessConstraints.compactMap { names in
            let constraint = names.compactMap { entity.property(named: $0) }
            let objects = model.kinds(of: entity).flatMap { tables[$0]?.members ?? [] }
            var holders: [UniqueKey: [Int64]] = [:]
            for objectID in objects {
                guard let key = rows[objectID].flatMap({ UniqueKey(constraint, of: $0.row) }) else { continue }
                holders[key, default: []].append(objectID.number)
            }
            return MigrationReport.Violation(
                entity: entity.name,
                sharing: names,
                objects: holders.values.filter { $0.count > 1 }.flatMap(\.self).sorted()
            )
        }
    }
}

extension Error {
    /// Whether a file or a store has another version of the model.
    fileprivate var isOtherModel: Bool { (self as? StoreFileError)?.code == .otherModel }
}

extension StoreFileError {
    fileprivate static func unmigratable(_ reason: (message: String, hint: String), _ path: String?) -> StoreFileError {
        var error = StoreFileError(.otherModel, reason.message, hint: reason.hint)
        error.path = path
        return error
    }
}
