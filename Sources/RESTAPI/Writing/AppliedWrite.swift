// SPDX-License-Identifier: Apache-2.0

// The second of three steps: applies a plan to the objects of a context. Nothing is saved.

import Basics
import ObjectGraph
import ObjectModel
import Predicates

/// A context with the changes of a plan, and the findings in them.
///
/// 1. Members that are replaced or moved are read with one call for each relationship, so that the number of statements
///    doesn't grow with the body.
/// 2. Findings don't stop it: all problems in a body are found. Nothing is saved then.
struct AppliedWrite {
    /// The object that is changed instead of inserting a new one.
    enum Substitute: Equatable, Sendable {
        case stored(ManagedObjectID)
        case write(Int)
    }

    var plan: WritePlan
    let context: ManagedObjectContext
    let api: API
    var substitutes: [Int: Substitute]
    /// The objects that are deleted since changed ones have their unique values.
    let displaced: [ManagedObjectID]
    var objects: WriteObjects
    /// The writes that are omitted.
    var dropped: Set<Int>
    let keptProperties: [Int: Set<String>]
    var findings: Findings
    /// The problem with the request, if it isn't about a value in its body.
    var refusal: Problem?
    /// The row of the path's object before its deletion.
    private(set) var former: Snapshot?

    private let uniqueObjects: UniqueObjects

    init(
        _ resolved: ResolvedWrite,
        substituting substitutes: [Int: Substitute] = [:],
        displacing displaced: [ManagedObjectID] = []
    ) {
        plan = resolved.plan
        context = resolved.context
        api = resolved.api
        self.substitutes = substitutes
        self.displaced = displaced
        objects = resolved.objects
        dropped = resolved.dropped
        keptProperties = resolved.keptProperties
        findings = resolved.findings
        uniqueObjects = resolved.uniqueObjects
    }

    /// Changes the objects.
    mutating func run() throws {
        try insertObjects(uniqueObjects)
        checkNames()
        matchInverses()
        checkContradictions()
        try loadMembers()
        for index in plan.writes.indices where !dropped.contains(index) {
            try WorkLimits.check()
            try apply(index)
        }
        if let refusal { throw refusal }
        try deleteObjects()
        try checkDeleted()
        try api.refuseReadOnlyStores(in: context)
    }

    private func loadMembers() throws {
        var owners: [RelationshipDescription: [ManagedObjectID]] = [:]
        for (index, write) in plan.writes.enumerated() where !dropped.contains(index) {
            guard let object = objects[index], !object.isInserted else { continue }
            for change in write.changes where change.change.needsMembers {
                guard let relationship = change.property.relationship, object.entity.toManys.contains(relationship)
                else { continue }
                owners[relationship, default: []].append(object.objectID)
            }
        }
        for (relationship, owners) in owners { _ = try context.related(along: relationship, owners: owners) }
    }

    private mutating func deleteObjects() throws {
        for (index, write) in plan.writes.enumerated() where write.isDeletion && !dropped.contains(index) {
            guard let object = objects[index] else { continue }
            if plan.answer == .deletion { former = try api.narrowed(context).snapshots(of: [object.objectID])[0] }
            context.delete(object)
        }
        for object in try context.existingObjects(with: displaced).compactMap(\.self) { context.delete(object) }
    }

    /// Refuses to insert, change or refer to objects that the same transaction deletes, directly or by a delete rule:
    /// the change would be lost silently.
    private mutating func checkDeleted() throws {
        guard case .operations = plan.answer else { return }
        try context.processPendingChanges()
        let deletions = plan.writes.indices.filter { plan.writes[$0].isDeletion }.compactMap { index in
            objects[index].map { ($0, index) }
        }
        let deleting = Dictionary(keepingFirst: deletions)
        for (index, write) in plan.writes.enumerated() where !write.isDeletion && !dropped.contains(index) {
            guard let object = objects[index], object.isDeleted else { continue }
            let cause =
                deleting[object].map { "deleted by \(plan.writes[$0].place.pointer)" }
                ?? "deleted along with another object"
            let name = write.place.object.shortened
            findings.add(
                .reference,
                "\(name) is \(write.isInsertion ? "created" : "changed") here, but \(cause).",
                at: write.place
            )
        }
        for change in plan.writes.filter({ !$0.isDeletion }).flatMap(\.changes) {
            for reference in change.change.put where objects[reference]?.isDeleted == true {
                findings.add(
                    .reference,
                    "\(reference.words) is added to “\(change.property.name)” here, but deleted by the same transaction.",
                    at: reference.place
                )
            }
        }
    }

    /// Refuses a write whose answer would be too large: after the save it can't be omitted.
    func checkAnswerSize() throws {
        guard plan.answered.count > 1, !plan.preferences.isMinimal else { return }
        let rows = try context.snapshots(of: plan.answered.compactMap { objects[$0]?.objectID })
        guard rows.reduce(0, { $0 + ($1?.roughSizeWithoutBytes ?? 0) }) > api.options.answerLimit else { return }
        var problem = Problem.answerTooLarge(api.options.answerLimit)
        problem.hint = "“Prefer: return=minimal” omits the objects from the answer."
        throw problem
    }
}

extension API {
    /// Refuses to change objects of read-only stores.
    func refuseReadOnlyStores(in context: ManagedObjectContext) throws {
        let stores = coordinator.stores
        guard stores.contains(where: \.isReadOnly) else { return }
        let readOnly = Set(stores.filter(\.isReadOnly).map(\.identifier))
        try context.processPendingChanges()
        let changed = context.updatedObjects.filter(\.hasPersistentChangedValues) + context.deletedObjects
        let isRefused = { (object: ManagedObject) in object.objectID.storeIdentifier.map(readOnly.contains) ?? false }
        let refused =
            changed.first(where: isRefused) ?? (readOnly.count == stores.count ? context.insertedObjects.first : nil)
        guard let refused else { return }
        throw Problem.readOnly("The store of \(catalogue[refused.entity].name) is read-only.")
    }
}

extension PropertyWrite.Change {
    /// Whether the present members must be read for it.
    fileprivate var needsMembers: Bool {
        switch self {
        case .members: true
        case .edit(let edit): !edit.moves.isEmpty
        case .value, .merge, .increment, .keep, .toOne: false
        }
    }
}

extension Snapshot {
    /// The approximate size without bytes, since an answer only has their paths.
    fileprivate var roughSizeWithoutBytes: Int {
        objectID.entity.attributes.reduce(row.approximateSize) { size, attribute in
            guard attribute.type == .binary, case .data(let data) = row.attributes[attribute.slot] else { return size }
            return size - data.count
        }
    }
}
