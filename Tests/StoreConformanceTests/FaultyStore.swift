// SPDX-License-Identifier: Apache-2.0

// A correct store with one deliberate fault, which the suite must find.

import AtomicStores
import FoundationEssentials
import ObjectGraph
import Predicates
import StoreConformance
import Synchronization

/// A store that forwards every call to another store, with one fault.
final class FaultyStore: PersistentStore {
    private let base: AtomicStore
    private let fault: Fault
    private let held = Mutex(Held())

    /// The state that faults need.
    private struct Held {
        var metadata: StoreMetadata?
        var ids: [[String]: [ManagedObjectID]] = [:]
        var names: Set<Value> = []
        var nils = 0
        var saves = 0
        var before: (any StoreGeneration)?
    }

    init(_ base: AtomicStore, _ fault: Fault) {
        self.base = base
        self.fault = fault
    }

    static func kind(_ fault: Fault) -> StoreKind {
        StoreKind("\(fault)") { model, folder, isReadOnly in
            let isReadOnly = isReadOnly && fault != .ignoresReadOnly
            let base = try AtomicStore(path: folder + "/Store", format: .binary, model: model, isReadOnly: isReadOnly)
            return FaultyStore(base, fault)
        }
    }

    var identifier: UUID { base.identifier }
    var isReadOnly: Bool { base.isReadOnly }
    var metadata: StoreMetadata { held.withLock { $0.metadata } ?? base.metadata }

    func setMetadata(_ metadata: StoreMetadata) throws {
        switch fault {
        case .forgetsMetadata: break
        case .givesTypeAway: held.withLock { $0.metadata = metadata }
        default: try base.setMetadata(metadata)
        }
    }

    func reference(from text: String) -> ManagedObjectID.Reference? {
        fault == .forgetsReferences ? nil : base.reference(from: text)
    }

    func permanentIDs(
        for entities: [EntityDescription],
        keeping references: [Int: ManagedObjectID.Reference]
    ) -> [ManagedObjectID] {
        var ids = base.permanentIDs(for: entities, keeping: references)
        if fault == .keepsTakenReferences {
            for (place, reference) in references {
                ids[place] = ManagedObjectID(entity: entities[place], store: identifier, reference: reference)
            }
        }
        // Not the few of a save: contexts count on new objects to have new IDs.
        guard fault == .repeatsIDs, entities.count > 3, references.isEmpty else { return ids }
        return held.withLock { [ids] held in
            let former = held.ids[entities.map(\.name)] ?? ids
            held.ids[entities.map(\.name)] = former
            return former
        }
    }

    func currentGeneration() -> any StoreGeneration { base.currentGeneration() }
}

extension FaultyStore {
    func fetch(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> StoreFetchResult {
        var request = request
        switch fault {
        case .findsEverything: request.predicate = nil
        case .findsNothing where request.predicate != nil: request.predicate = .constant(false)
        case .ignoresSorting: request.sortDescriptors = []
        case .ignoresSearches: request.search = nil
        case .ignoresRelevance: request.search?.statistics = nil
        case .ignoresWindow: (request.offset, request.limit) = (0, nil)
        case .ignoresSubentities: request.includesSubentities = false
        default: break
        }
        switch try base.fetch(request, at: pinned(generation)) {
        case .snapshots(let snapshots): return .snapshots(snapshots.map(spoiled))
        case .count(let count) where fault == .miscounts: return .count(count + 1)
        case let answer: return answer
        }
    }

    func snapshots(of objects: [ManagedObjectID], at generation: (any StoreGeneration)?) -> [Snapshot?] {
        var found = base.snapshots(of: objects, at: pinned(generation))
        // Contexts rely on a row having its entity's slots, so only rows of one entity are mixed.
        if fault == .mixesRows, Set(objects.map(\.entity)).count == 1 { found.reverse() }
        if fault == .lagsBehind, let before = held.withLock({ $0.before }), let last = objects.last, objects.count > 1 {
            found[found.count - 1] = base.snapshots(of: [last], at: before)[0] ?? found[found.count - 1]
        }
        return found.map { $0.map(spoiled) }
    }

    func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        at generation: (any StoreGeneration)?
    ) -> [[ManagedObjectID]] {
        let members = base.members(of: relationship, owners: owners, at: pinned(generation))
        return switch fault {
        case .dropsOrder: members.map { $0.sorted { $0.uri > $1.uri } }
        case .losesMembers: members.map { $0.dropLast() }
        case .mixesRows: members.reversed()
        default: members
        }
    }

    func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest?,
        at generation: (any StoreGeneration)?
    ) throws -> RelatedRows {
        guard let request else {
            let members = members(of: relationship, owners: owners, at: generation)
            let rows = snapshots(of: OrderedMembers(members.joined()).members, at: generation)
            return RelatedRows(members: members, rows: rows.compactMap(\.self))
        }
        let chosen = fault == .choosesNoMembers ? RelatedRequest() : request
        return try base.related(along: relationship, owners: owners, matching: chosen, at: pinned(generation))
    }

    private func pinned(_ generation: (any StoreGeneration)?) -> (any StoreGeneration)? {
        fault == .leaksGenerations ? nil : generation
    }

    private func spoiled(_ snapshot: Snapshot) -> Snapshot {
        var row = snapshot.row
        for attribute in snapshot.objectID.entity.attributes {
            let value = row.attributes[attribute.slot]
            row.attributes[attribute.slot] = fault.spoiled(value, of: attribute)
        }
        if fault == .losesToOnes { row.toOnes = row.toOnes.map { _ in nil } }
        let version = fault == .countsNoVersions ? 1 : snapshot.version
        return Snapshot(objectID: snapshot.objectID, version: version, row: row)
    }
}

extension FaultyStore {
    func save(_ request: StoreSaveRequest, commit: Commit<[Snapshot]>) throws -> StoreSaveResult {
        let result = try commit.note == nil ? save(request) : save(request, keepingNoteOf: commit)
        if case .saved(let rows) = result { commit.notify(of: rows) }
        return result
    }

    private func save(_ request: StoreSaveRequest) throws -> StoreSaveResult {
        let current = base.currentGeneration()
        let count = held.withLock { held in
            held.before = current
            held.saves += 1
            return held.saves
        }
        var request = request
        switch fault {
        case .ignoresVersions, .countsNoVersions: request = withPresentVersions(request)
        case .keepsDeleted: request.deletions = []
        case .keepsMembers: request = withoutRemovals(request)
        case .movesMembers: request = removingAddedMembers(request)
        case .takesFewRows: request.insertions = Array(request.insertions.prefix(5000))
        case .ignoresNumbers: request.known = []
        case .bumpsOwners: request = bumpingOwners(request)
        case .losesSaves where count % 5 == 0: return .saved(request.insertions.map(Snapshot.init))
        case .refusesNothing where request.isEmpty:
            return .conflicts(StoreConflicts())
        case .savesRowByRow: return try saveRowByRow(request)
        case .refusesNil, .neverFreesNames:
            if let conflicts = invented(request) { return .conflicts(conflicts) }
        default: break
        }
        switch try base.save(request) {
        case .saved(let snapshots): return .saved(fault == .answersNothing ? [] : snapshots.map(spoiled))
        case .conflicts(let conflicts):
            let isOverlooked =
                switch fault {
                case .ignoresConstraints: conflicts.rows.isEmpty
                case .ignoresReferences: conflicts.rows.isEmpty && conflicts.constraints.isEmpty
                // A store that doesn't see its members doesn't see additional ones either.
                case .losesMembers: !conflicts.newReferrers.isEmpty
                default: false
                }
            return isOverlooked ? .saved(request.insertions.map(Snapshot.init)) : .conflicts(conflicts)
        }
    }

    var keepsNotes: Bool { true }

    func note(_ key: String) throws -> StoreNote? { fault == .forgetsNotes ? nil : base.note(key) }

    private func save(
        _ request: StoreSaveRequest,
        keepingNoteOf commit: Commit<[Snapshot]>
    ) throws -> StoreSaveResult {
        guard let note = commit.note else { return try base.save(request) }
        switch fault {
        case .overwritesNotes:
            let overwriting = PendingNote<[Snapshot]>(key: note.key, made: note.made, keptSince: .distantFuture) {
                try note.note(of: $0).content
            }
            return try base.save(request, commit: Commit(note: overwriting))
        case .expiresNotes:
            let since = max(note.keptSince, Date(timeIntervalSinceReferenceDate: 0))
            let expiring = PendingNote<[Snapshot]>(key: note.key, made: note.made, keptSince: since) {
                try note.note(of: $0).content
            }
            return try base.save(request, commit: Commit(note: expiring))
        case .savesBeforeNotes:
            let result = try base.save(request)
            guard case .saved(let rows) = result else { return result }
            let late = PendingNote<[Snapshot]>(key: note.key, made: note.made, keptSince: note.keptSince) { _ in
                try note.note(of: rows).content
            }
            _ = try base.save(StoreSaveRequest(), commit: Commit(note: late))
            return result
        default: return try base.save(request, commit: Commit(note: note))
        }
    }

    private func version(_ objectID: ManagedObjectID) -> Int64? { base.snapshots(of: [objectID], at: nil)[0]?.version }

    private func withPresentVersions(_ request: StoreSaveRequest) -> StoreSaveRequest {
        var changed = request
        changed.locks = []
        changed.updates = request.updates.compactMap { update in
            version(update.objectID).map {
                .init(
                    objectID: update.objectID,
                    version: $0,
                    row: update.row,
                    attributes: update.attributes,
                    toOnes: update.toOnes
                )
            }
        }
        changed.deletions = request.deletions.compactMap { deletion in
            version(deletion.objectID).map { .init(objectID: deletion.objectID, version: $0) }
        }
        return changed
    }

    private func withoutRemovals(_ request: StoreSaveRequest) -> StoreSaveRequest {
        var changed = request
        changed.members = request.members.map { .init(owner: $0.owner, relationship: $0.relationship, added: $0.added) }
        return changed
    }

    /// Removes added members before they are added, so that those that are members already become the last.
    private func removingAddedMembers(_ request: StoreSaveRequest) -> StoreSaveRequest {
        var changed = request
        changed.members = request.members.map { change in
            .init(
                owner: change.owner,
                relationship: change.relationship,
                added: change.added,
                removed: change.removed + change.added,
                order: change.order
            )
        }
        return changed
    }

    /// Increments the version of each object that a changed row refers to.
    private func bumpingOwners(_ request: StoreSaveRequest) -> StoreSaveRequest {
        var changed = request
        let rows = request.updates.map(\.row) + request.insertions.map(\.row)
        let known = Set(request.updates.map(\.objectID) + request.deletions.map(\.objectID))
        for owner in Set(rows.flatMap(\.toOnes).compactMap(\.self)).subtracting(known) {
            guard let snapshot = base.snapshots(of: [owner], at: nil)[0] else { continue }
            changed.updates.append(
                .init(objectID: owner, version: snapshot.version, row: snapshot.row, attributes: [], toOnes: [])
            )
        }
        return changed
    }

    private func saveRowByRow(_ request: StoreSaveRequest) throws -> StoreSaveResult {
        var saved: [Snapshot] = []
        var rest = request
        (rest.insertions, rest.updates) = ([], [])
        for insertion in request.insertions {
            var part = StoreSaveRequest()
            part.insertions = [insertion]
            guard case .saved(let rows) = try base.save(part) else { return try base.save(part) }
            saved += rows
        }
        for update in request.updates {
            var part = StoreSaveRequest()
            part.updates = [update]
            guard case .saved(let rows) = try base.save(part) else { return try base.save(part) }
            saved += rows
        }
        guard case .saved = try base.save(rest) else { return try base.save(rest) }
        return .saved(saved)
    }

    /// Invented violations.
    private func invented(_ request: StoreSaveRequest) -> StoreConflicts? {
        let rows = request.insertions.map { ($0.objectID, $0.row) } + request.updates.map { ($0.objectID, $0.row) }
        for (objectID, row) in rows {
            guard case .attribute(let attribute)? = objectID.entity.uniquenessConstraints.first?.first else { continue }
            let value = row.attributes[attribute.slot]
            let isRefused = held.withLock { held in
                if value == .null { held.nils += 1 }
                if fault == .refusesNil { return value == .null && held.nils > 1 }
                return value != .null && !held.names.insert(value).inserted
            }
            guard isRefused else { continue }
            var conflicts = StoreConflicts()
            conflicts.constraints = [
                ConstraintViolation(constraint: [.attribute(attribute)], objects: [objectID], stored: nil)
            ]
            return conflicts
        }
        return nil
    }
}

extension Snapshot {
    fileprivate convenience init(_ insertion: StoreSaveRequest.Insertion) {
        self.init(objectID: insertion.objectID, version: 1, row: insertion.row)
    }
}
