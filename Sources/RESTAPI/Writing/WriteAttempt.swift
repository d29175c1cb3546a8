// SPDX-License-Identifier: Apache-2.0

// One try at a plan: in one context, which is saved once.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import Predicates

/// Does what a plan says in a context that is made for it.
///
/// 1. All rows that the plan names are read by one call before anything is changed, and all members that it replaces by one call
///    for each relationship, so that the number of statements doesn't grow with the body.
/// 2. Versions are compared with those rows, and the save sees to it that they are still the same.
/// 3. Nothing is changed by a body in which anything is wrong, and all of that is told at once.
final class WriteAttempt {
    enum Outcome: Sendable {
        case done(Reply)
        /// Others have changed what was read.
        case overtaken
        /// New objects' unique values are others' already, which are to be changed in their place.
        case taken([Int: Substitute])
        /// Objects' unique values are others' already; the merge policy is to decide.
        case undecided
    }

    /// The object that stands in the place of a new one which can't be made beside it.
    enum Substitute: Equatable, Sendable {
        case stored(ManagedObjectID)
        case write(Int)
    }

    let plan: WritePlan
    let substitutes: [Int: Substitute]
    let context: ManagedObjectContext
    let api: API
    /// Whether the context is an editing context, which goes on and isn't saved.
    let isDraft: Bool
    /// What has happened in the editing context.
    var drafted = DraftedChanges()
    /// Where the answer is kept with the save.
    let keeping: AnswerKeeping?
    var findings = Findings()
    /// The object of each write; nil where it isn't there yet, or isn't to be.
    var objects: [ManagedObject?]
    var byName: [String: ManagedObject] = [:]
    /// The objects that the plan names, which are held here.
    var located: [ObjectLocation: ManagedObject] = [:]
    /// The writes that are left out since the merge policy drops them.
    var dropped: Set<Int> = []
    /// What keeps the request from being done, other than values of its body.
    var refusal: Problem?

    init(
        _ plan: WritePlan,
        _ substitutes: [Int: Substitute],
        constraints policy: MergePolicy.Kind?,
        _ context: ManagedObjectContext,
        _ api: API,
        _ keeping: AnswerKeeping? = nil
    ) {
        (self.plan, self.substitutes, self.context, self.api, isDraft) = (plan, substitutes, context, api, false)
        self.keeping = keeping
        objects = Array(repeating: nil, count: plan.writes.count)
        findings = plan.findings
        context.retainsRegisteredObjects = true
        context.transactionAuthor = plan.author
        // Rows that others have changed are read anew, whatever the policy: what is added to a number is added to the newest one.
        context.constraintPolicy = policy
    }

    /// An attempt in an editing context.
    init(_ plan: WritePlan, drafting context: ManagedObjectContext, _ api: API) {
        (self.plan, substitutes, self.context, self.api, isDraft) = (plan, [:], context, api, true)
        keeping = nil
        objects = Array(repeating: nil, count: plan.writes.count)
        findings = plan.findings
    }

    func run() throws -> Outcome {
        try locate()
        let objection = try missingVersion() ?? staleness()
        if findings.isEmpty, objection == nil { try checkVersions() }
        let former = try change()
        guard findings.isEmpty else { throw try allFindings() }
        if let objection {
            // Preconditions count where the request would succeed but for them.
            _ = try rehearse()
            throw objection
        }
        try checkAnswerSize()
        return try plan.isDryRun ? rehearse() : save(former)
    }

    /// Does what the plan says to the objects that were found.
    ///
    /// - Returns: The row that the object of the answer had, if it is deleted.
    private func change() throws -> Snapshot? {
        try insertObjects()
        checkContradictions()
        try loadMembers()
        for index in plan.writes.indices where !dropped.contains(index) {
            try WorkLimits.check()
            try apply(index)
        }
        if let refusal { throw refusal }
        let former = try deleteObjects()
        try checkDeleted()
        try api.refuseReadOnlyStores(in: context)
        return former
    }

    /// Does what the plan says in an editing context; what is answered has temporary IDs.
    func draft() throws -> Reply {
        let observation = context.observeChanges { [unowned self] in drafted.add($0) }
        defer { context.remove(observation) }
        try locate()
        try moveBases()
        if let objection = try staleness() { throw objection }
        if findings.isEmpty { try checkVersions() }
        let former = try change()
        guard findings.isEmpty else { throw findings.problem }
        try context.processPendingChanges()
        try checkAnswerSize()
        return try draftReply(former)
    }

    // MARK: What is there

    /// Reads all objects that the plan names.
    private func locate() throws {
        let references = plan.writes.flatMap { $0.changes.flatMap(\.change.references) }
        var locations = plan.writes.compactMap(\.location)
        for case .stored(let location) in references.map(\.target) { locations.append(location) }
        var isKnown: Set<ObjectLocation> = []
        locations = locations.filter { isKnown.insert($0).inserted }
        let objectIDs = locations.map(objectID)
        let rows = try stored(objectIDs.compactMap(\.self))
        var found: [ManagedObjectID: Snapshot] = [:]
        for row in rows { if let row { found[row.objectID] = row } }
        // Paths may name entities above the objects' own, which the rows tell.
        var present: [(ObjectLocation, ManagedObjectID)] = []
        for (location, objectID) in zip(locations, objectIDs) {
            guard let row = objectID.flatMap({ found[$0] }), row.objectID.entity.isKind(of: location.resource.entity)
            else { continue }
            present.append((location, row.objectID))
        }
        let current = try context.snapshots(of: present.map(\.1))
        for ((location, objectID), row) in zip(present, current) where row != nil {
            located[location] = context.object(with: objectID)
        }
        try place()
        for (index, write) in plan.writes.enumerated() {
            for change in write.changes where !leadsWhereItDid(change, of: index) {
                for reference in change.change.references { check(reference) }
            }
        }
    }

    /// Whether a relationship to one is said to lead to an object that is gone, and to which it leads already, as No Action has left it:
    /// what was shown can be sent back.
    private func leadsWhereItDid(_ write: PropertyWrite, of index: Int) -> Bool {
        guard case .toOne(let reference?) = write.change, case .stored(let location) = reference.target,
            located[location] == nil, let relationship = write.property.relationship, let object = objects[index],
            object.entity.toOnes.contains(relationship), let named = objectID(location),
            let present = object.committedSnapshot?.row.toOnes[relationship.slot]
        else { return false }
        return present.storeIdentifier == named.storeIdentifier && present.reference == named.reference
            && present.entity.rootIndex == named.entity.rootIndex
    }

    /// The rows of objects. New ones are known to the editing context alone, and so are those that others have deleted meanwhile.
    private func stored(_ objectIDs: [ManagedObjectID]) throws -> [Snapshot?] {
        let permanent = objectIDs.filter { !$0.isTemporary }
        let rows = try api.coordinator.read { reader in try reader.snapshots(of: permanent) }
        guard isDraft else { return rows }
        let found = Set(rows.compactMap { $0?.objectID })
        return try rows + context.snapshots(of: objectIDs.filter { !found.contains($0) })
    }

    private func objectID(_ location: ObjectLocation) -> ManagedObjectID? {
        guard let store = location.store else { return api.names.objectID(of: location.resource, location.key) }
        guard stores.contains(store) else { return nil }
        let reference = ManagedObjectID.Reference(key: location.key)
        return ManagedObjectID(entity: location.resource.entity, store: store, reference: reference)
    }

    /// Puts objects in the places of the writes that change them.
    private func place() throws {
        for (index, write) in plan.writes.enumerated() {
            guard let location = write.location else { continue }
            guard let object = located[location] else {
                if index == 0, plan.answer.isOfPath { throw Problem.notFound(location) }
                findings.add(.reference, location.missing(among: stores), at: write.place)
                continue
            }
            if let entity = write.entity, !object.entity.isKind(of: entity.entity) {
                let message = "\(location.name) is a \(object.entity.name), no \(entity.entity.name)."
                findings.add(.identity, message, at: write.place.member("_entity"))
            }
            objects[index] = object
        }
    }

    private func check(_ reference: Reference) {
        guard case .stored(let location) = reference.target, located[location] == nil, !isOfPath(reference) else {
            return
        }
        findings.add(.reference, location.missing(among: stores), at: reference.place)
    }

    private var stores: [UUID] { api.coordinator.stores.map(\.identifier) }

    private func isOfPath(_ reference: Reference) -> Bool {
        plan.writes[0].changes.contains { change in
            guard case .edit(let edit) = change.change, edit.isOfPath else { return false }
            return (edit.added + edit.removed).contains(reference)
        }
    }

    // MARK: Making and deleting

    private func insertObjects() throws {
        var meter = WorkMeter()
        for (index, write) in plan.writes.enumerated() {
            try meter.step()
            if let parent = write.parent, dropped.contains(parent) {
                dropped.insert(index)
                continue
            }
            guard case .insert(let resource) = write.action else { continue }
            switch substitutes[index] {
            case .stored(let objectID): objects[index] = try context.existingObject(with: objectID)
            case .write(let other): objects[index] = objects[other]
            case nil:
                let object = try context.insert(resource.entity)
                try context.keep(write.kept, for: object)
                objects[index] = object
            }
            if substitutes[index] != nil, plan.preferences.merge?.dropsRequest == true { dropped.insert(index) }
            if let name = write.temporaryName, let object = objects[index] { byName[name] = object }
        }
    }

    /// Reads the members of relationships that are to have others, for all objects at once.
    private func loadMembers() throws {
        var owners: [RelationshipDescription: [ManagedObjectID]] = [:]
        for (index, write) in plan.writes.enumerated() where !dropped.contains(index) {
            guard let object = objects[index], !object.isInserted else { continue }
            for change in write.changes {
                guard let relationship = change.property.relationship, change.change.needsMembers,
                    object.entity.toManys.contains(relationship)
                else { continue }
                owners[relationship, default: []].append(object.objectID)
            }
        }
        for (relationship, owners) in owners { _ = try context.related(along: relationship, owners: owners) }
    }

    /// Refuses to make or change what is deleted by the same transaction, be it by a rule: that would be lost unnoticed.
    private func checkDeleted() throws {
        guard case .operations = plan.answer else { return }
        try context.processPendingChanges()
        let deletions = plan.writes.indices.filter { plan.writes[$0].isDeletion }.compactMap { index in
            objects[index].map { ($0, index) }
        }
        let deleting = Dictionary(deletions) { first, _ in first }
        for (index, write) in plan.writes.enumerated() where !write.isDeletion && !dropped.contains(index) {
            guard let object = objects[index], object.isDeleted else { continue }
            let cause =
                deleting[object].map { "deleted by \(plan.writes[$0].place.pointer)" } ?? "deleted with another object"
            let name = write.place.object.shortened
            findings.add(
                .reference,
                "\(name) is \(write.isInsertion ? "made" : "changed") here, and \(cause).",
                at: write.place
            )
        }
        checkRelatingToDeleted()
    }

    /// Deletes what is to go, and gives the row that the object of the answer had.
    private func deleteObjects() throws -> Snapshot? {
        var former: Snapshot?
        for (index, write) in plan.writes.enumerated() where write.isDeletion && !dropped.contains(index) {
            guard let object = objects[index] else { continue }
            if plan.answer == .deletion { former = try context.snapshots(of: [object.objectID])[0] }
            context.delete(object)
        }
        return former
    }
}

extension API {
    /// Refuses to change what is in stores that are only read.
    func refuseReadOnlyStores(in context: ManagedObjectContext) throws {
        let stores = coordinator.stores
        let readOnly = Set(stores.filter(\.isReadOnly).map(\.identifier))
        guard !readOnly.isEmpty else { return }
        try context.processPendingChanges()
        let changed = context.updatedObjects.filter(\.hasPersistentChangedValues) + context.deletedObjects
        let isRefused = { (object: ManagedObject) in object.objectID.storeIdentifier.map(readOnly.contains) ?? false }
        let refused =
            changed.first(where: isRefused) ?? (readOnly.count == stores.count ? context.insertedObjects.first : nil)
        guard let refused else { return }
        throw Problem.readOnly("The store that keeps objects of \(refused.entity.name) can't be written.")
    }
}

extension WritePlan.Answer {
    /// Whether the first write is of the object that the path names.
    var isOfPath: Bool {
        switch self {
        case .object, .deletion: true
        case .list, .operations: false
        }
    }
}

extension Preferences.Merge {
    /// Whether what is stored goes before what is requested, where both can't be.
    var dropsRequest: Bool { self == .store || self == .rollback }
}

extension PropertyWrite.Change {
    var references: [Reference] {
        guard case .edit(let edit) = self else { return put }
        return edit.removed + edit.added + edit.moves.map(\.member)
    }

    /// The objects that it puts into the relationship.
    var put: [Reference] {
        switch self {
        case .toOne(let reference): reference.map { [$0] } ?? []
        case .members(let references): references
        case .edit(let edit): edit.added
        case .value, .merge, .increment, .keep: []
        }
    }

    /// Whether the present members must be known for it.
    var needsMembers: Bool {
        switch self {
        case .members: true
        case .edit(let edit): !edit.moves.isEmpty
        case .value, .merge, .increment, .keep, .toOne: false
        }
    }
}
