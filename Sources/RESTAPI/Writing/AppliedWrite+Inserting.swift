// SPDX-License-Identifier: Apache-2.0

// Inserts the new objects of a plan, and finds the objects that unique values and temporary names refer to.

import ObjectGraph

extension AppliedWrite {
    /// Inserts new objects, or finds those that are changed instead. A write is dropped with the one that it is nested in,
    /// so its object has neither its unique values nor its temporary name.
    mutating func insertObjects(_ unique: UniqueObjects) throws {
        var meter = WorkMeter()
        // Objects that the plan changes may release their values.
        let changed = Set(plan.writes.indices.filter { !dropped.contains($0) }.compactMap { objects[$0]?.objectID })
        var inserted: [UniqueKey: Int] = [:]
        for (index, write) in plan.writes.enumerated() {
            try meter.step()
            if let parent = write.parent, dropped.contains(parent) {
                dropped.insert(index)
                substitutes[index] = nil
                continue
            }
            guard case .insert(let resource) = write.action else { continue }
            let keys = unique.own[index]
            // An earlier attempt may have inserted what is dropped now.
            if case .write(let other) = substitutes[index], objects[other] == nil { substitutes[index] = nil }
            if unique.isUpsert, substitutes[index] == nil {
                let holders = OrderedMembers(keys.compactMap { unique.stored[$0]?.objectID }).members
                if holders.count > 1 { rejectSeveral(holders, for: write) }
                if let stored = holders.first, !changed.contains(stored), try keeps(stored, inserting: resource) {
                    substitutes[index] = .stored(stored)
                } else if let other = keys.compactMap({ inserted[$0] }).first {
                    substitutes[index] = .write(other)
                }
            }
            switch substitutes[index] {
            case .stored(let objectID): objects[index] = try context.existingObject(with: objectID)
            case .write(let other): objects[index] = objects[other]
            case nil:
                let object = try context.insert(resource.entity)
                try context.keep(write.kept, for: object)
                objects[index] = object
            }
            if substitutes[index] != nil, plan.preferences.merge?.dropsRequest == true { dropped.insert(index) }
            for key in keys where inserted[key] == nil { inserted[key] = index }
            if let name = write.temporaryName, let object = objects[index] { objects.named[name] = object }
        }
        for (values, key) in unique.named {
            objects.unique[values] = inserted[key].flatMap { objects[$0] } ?? unique.stored[key]
        }
    }

    /// In a dry run, reports a new object with the unique values of several: the save would change the first one, and
    /// delete the others.
    private mutating func rejectSeveral(_ holders: [ManagedObjectID], for write: ObjectWrite) {
        guard plan.isDryRun, plan.preferences.merge?.dropsRequest == false else { return }
        let names = holders.map(api.catalogue.reference)
        findings.add(
            .identity,
            "It has unique values of \(names.joined(separator: " and ")): the save would change \(names[0]), and delete "
                + "\(names.dropFirst().joined(separator: " and ")).",
            at: write.place
        )
    }

    /// Whether a new object would be in the store of another object. Those of other stores aren't in the way.
    private func keeps(_ objectID: ManagedObjectID, inserting resource: Resource) throws -> Bool {
        try api.coordinator.storeForInserting(resource.entity).identifier == objectID.storeIdentifier
    }

    /// Refuses references to new objects that are dropped, and unique values that no object has.
    mutating func checkNames() {
        for (index, write) in plan.writes.enumerated() where !dropped.contains(index) {
            for reference in write.changes.flatMap(\.change.references) where objects[reference] == nil {
                switch reference.target {
                case .unique(let values):
                    findings.add(
                        .reference,
                        "There is no \(api.catalogue[values.entity].name) with \(values.words(in: api.catalogue)).",
                        at: reference.place
                    )
                case .temporary(let name) where isDropped(name):
                    findings.add(
                        .reference,
                        "“\(name.shortened)” isn't created, since the merge policy drops the object that it is nested in.",
                        hint: "Insert it by an operation of its own.",
                        at: reference.place
                    )
                case .temporary, .stored, .write: break
                }
            }
        }
    }

    /// Whether the new object with a temporary name is dropped.
    private func isDropped(_ name: String) -> Bool { dropped.contains { plan.writes[$0].temporaryName == name } }
}

extension Preferences.Merge {
    /// Whether the stored state wins over the request in a conflict.
    fileprivate var dropsRequest: Bool { self == .store || self == .rollback }
}
