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
        let store = try AtomicStore(file: file, model: migration.old, isReadOnly: isReadOnly, mustExist: true)
        return try store.migrated(by: migration, as: mode).report
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
            var next = memory.withLock(\.self)
            let (migrated, report) = try next.state.migrated(by: migration)
            if let reason = report.reason(against: mode) { throw StoreFileError.unmigratable(reason, file?.path) }
            guard mode != .rehearsal else { return (nil, report) }
            next.state = migrated
            if migration.changesRows { next.metadata.countMigration() }
            let store = AtomicStore(self, in: migration.new, with: next)
            try file?.write(store.content(of: next), model: migration.new)
            isMigrated = true
            return (store, report)
        }
    }
}

extension AtomicState {
    /// The same objects in the last version of a migration, and what became of them.
    func migrated(by migration: ModelMigration) throws -> (AtomicState, MigrationReport) {
        var state = self
        var report = MigrationReport()
        for stage in migration.stages {
            var next = try state.migrated(by: stage)
            next.deriveAll(by: Derivations(stage.new))
            report.stages.append(MigrationReport.Stage(from: state, to: next, by: stage))
            state = next
        }
        return (state, report)
    }

    /// Recomputes all derived values; the time of a row's last save stays.
    private mutating func deriveAll(by derivations: Derivations) {
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
            violations += new.violations(of: plan)
        }
        for name in mapping.mapping.removed {
            guard let entity = mapping.old.entity(named: name) else { continue }
            let count = old.tables[entity]?.members.count ?? 0
            entities.append(.init(name: name, formerName: name, outcome: .deleted, objectCount: count))
        }
        for entity in mapping.new.entities { violations += new.duplicates(in: entity, of: mapping.new) }
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

    /// Objects with the same values of a uniqueness constraint that an entity declares itself.
    fileprivate func duplicates(
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

extension StoreFileError {
    fileprivate static func unmigratable(_ reason: (message: String, hint: String), _ path: String?) -> StoreFileError {
        var error = StoreFileError(.otherModel, reason.message, hint: reason.hint)
        error.path = path
        return error
    }
}
