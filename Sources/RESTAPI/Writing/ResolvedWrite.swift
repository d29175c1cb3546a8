// SPDX-License-Identifier: Apache-2.0

// The first of three steps: finds a plan's objects in a context. Nothing is changed.

import FoundationEssentials
import ObjectGraph
import SourceText

/// A plan with the objects that it names, and their rows.
///
/// 1. The rows of all objects that the plan names are read with one call, each once; those of unique values with one more
///    for each constraint.
/// 2. All missing objects are reported, not only the first.
struct ResolvedWrite {
    let plan: WritePlan
    let context: ManagedObjectContext
    let api: API
    private(set) var objects: WriteObjects
    /// The rows that the writes change, as they were read.
    var rows: [ManagedObjectID: Snapshot] = [:]
    /// The writes that the merge policy drops, since their rows are newer than the version they are based on.
    var dropped: Set<Int> = []
    /// The names of the properties that the merge policy keeps as they are stored, by the index of the write.
    var keptProperties: [Int: Set<String>] = [:]
    /// The unique values in the plan, and the stored objects that have them.
    private(set) var uniqueObjects: UniqueObjects
    private(set) var findings: Findings
    /// The stores that references may name.
    private let stores: [UUID]

    init(_ plan: WritePlan, in context: ManagedObjectContext, of api: API) throws {
        self.plan = plan
        self.context = context
        self.api = api
        objects = WriteObjects(of: plan)
        uniqueObjects = UniqueObjects()
        findings = plan.findings
        stores = api.coordinator.stores.map(\.identifier)
        objects.byLocation = try locate()
        try assignObjects()
        uniqueObjects = try UniqueObjects(of: plan, in: context, isUpsert: isUpsert, naming: objectID)
        try uniqueObjects.omitUnreadable(to: api, in: context)
        for (index, write) in plan.writes.enumerated() {
            for change in write.changes where !isUnchanged(change, of: index) {
                for reference in change.change.references { check(reference) }
            }
        }
    }

    /// The row of the object that a write changes.
    func row(of index: Int) -> Snapshot? { objects[index].flatMap { rows[$0.objectID] } }

    private func locate() throws -> [ObjectLocation: ManagedObject] {
        let references = plan.writes.flatMap { $0.changes.flatMap(\.change.references) }
        let named = OrderedMembers(plan.writes.compactMap(\.location) + references.compactMap(\.location)).members
        let known = named.compactMap { location in objectID(location).map { (location, $0) } }
        var byLocation: [ObjectLocation: ManagedObject] = [:]
        for ((location, _), object) in zip(known, try context.existingObjects(with: known.map(\.1))) {
            // A path may name a superentity of the object's entity.
            guard let object, object.entity.isKind(of: location.resource.entity) else { continue }
            if api.catalogue.shows(object.objectID) { byLocation[location] = object }
        }
        return try readable(byLocation)
    }

    /// The objects that the identity can read: others are missing for it.
    private func readable(_ objects: [ObjectLocation: ManagedObject]) throws -> [ObjectLocation: ManagedObject] {
        guard api.access != nil else { return objects }
        let all = Array(objects)
        let rows = try api.narrowed(context).snapshots(of: all.map(\.value.objectID))
        return Dictionary(uniqueKeysWithValues: zip(all, rows).filter { $0.1 != nil }.map { ($0.0.key, $0.0.value) })
    }

    private func objectID(_ location: ObjectLocation) -> ManagedObjectID? {
        guard let store = location.store else { return api.names.objectID(of: location.resource, key: location.key) }
        guard stores.contains(store) else { return nil }
        let reference = ManagedObjectID.Reference(key: location.key)
        return ManagedObjectID(entity: location.resource.entity, store: store, reference: reference)
    }

    /// Finds the objects of writes that change existing ones, and their rows.
    private mutating func assignObjects() throws {
        for (index, write) in plan.writes.enumerated() {
            guard let location = write.location else { continue }
            guard let object = objects.byLocation[location] else {
                if index == 0, plan.answer.isFromPath { throw Problem.notFound(location) }
                findings.add(.reference, location.missing(among: stores), at: write.place)
                continue
            }
            if let entity = write.entity, !object.entity.isKind(of: entity.entity) {
                let actual = api.catalogue[object.entity].name.withArticle
                let message = "\(location.name) is \(actual), not \(entity.name.withArticle)."
                findings.add(.identity, message, at: write.place.member("_entity"))
            }
            objects[index] = object
        }
        let changed = plan.writes.indices.compactMap { objects[$0]?.objectID }
        for case let row? in try api.narrowed(context).snapshots(of: changed) { rows[row.objectID] = row }
    }

    /// In an editing context, the save decides about the unique values of new objects.
    private var isUpsert: Bool { plan.isUpsert && !api.isOfContext }

    /// Whether a to-one relationship is set to a missing object that it refers to already, as after the delete rule No
    /// Action: a client can send back a response unchanged.
    private func isUnchanged(_ write: PropertyWrite, of index: Int) -> Bool {
        // Otherwise a reference that isn't shown could be guessed.
        guard api.access == nil, case .toOne(let reference?) = write.change, let location = reference.location,
            objects.byLocation[location] == nil, let relationship = write.property.relationship,
            let object = objects[index], object.entity.toOnes.contains(relationship), let named = objectID(location),
            let present = object.committedSnapshot?.row.toOnes[relationship.slot]
        else { return false }
        return present == named
    }

    private mutating func check(_ reference: Reference) {
        guard let location = reference.location, objects.byLocation[location] == nil, !plan.isFromPath(reference) else {
            return
        }
        findings.add(.reference, location.missing(among: stores), at: reference.place)
    }
}

extension Reference {
    fileprivate var location: ObjectLocation? {
        if case .stored(let location) = target { location } else { nil }
    }
}

extension WritePlan {
    /// Whether the path names the member.
    fileprivate func isFromPath(_ reference: Reference) -> Bool {
        writes[0].changes.contains { change in
            guard case .edit(let edit) = change.change, edit.isFromPath else { return false }
            return (edit.added + edit.removed).contains(reference)
        }
    }
}
