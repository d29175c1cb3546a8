// SPDX-License-Identifier: Apache-2.0

// Compares rows with the versions that a request is based on.

import HTTPMessage
import JSON
import ObjectGraph

extension ResolvedWrite {
    /// The problem with the request's preconditions: a required version is missing, or a condition isn't met.
    func failedPrecondition() throws -> Problem? { try missingVersion() ?? staleness() }

    private func missingVersion() -> Problem? {
        guard api.options.requiresPreconditions else { return nil }
        for (index, write) in plan.writes.enumerated() where write.location != nil && !write.onlyAdds {
            let isNamed = index == 0 && plan.answer.isFromPath && plan.conditions.ifMatch != nil
            if isNamed || write.baseVersion != nil { continue }
            return Problem(
                .preconditionRequired,
                "A change of \(write.place.object) must name the version that it is based on.",
                hint: "Send the object's ETag as If-Match, or its _version in the body (in a transaction, version)."
            )
        }
        return nil
    }

    /// The problem if the path's object doesn't meet the request's conditions.
    func staleness() throws -> Problem? { try isStale ? row(of: 0).map(stale) : nil }

    /// Whether the path's object doesn't meet the request's conditions.
    private var isStale: Bool {
        guard plan.answer.isFromPath, !plan.writes.isEmpty, let row = row(of: 0), let object = objects[0] else {
            return false
        }
        if let known = plan.conditions.ifNoneMatch, api.names(row, of: object, in: known) { return true }
        guard let expected = plan.conditions.ifMatch, !api.names(row, of: object, in: expected) else { return false }
        // The merge policy decides instead.
        return plan.preferences.merge == nil || expected.versions.max() == nil
    }

    /// Whether a row doesn't have the version that the request expects.
    var isOutdated: Bool {
        isStale
            || plan.writes.indices.contains { index in
                guard let row = row(of: index), let base = baseVersion(of: index) else { return false }
                return row.version != base
            }
    }

    /// Compares the versions that the writes are based on with those of the rows; writes that the merge policy drops
    /// are omitted.
    ///
    /// - Returns: The objects whose rows must still have these versions in the save.
    mutating func compareVersions() throws -> [ManagedObject] {
        var current: [ManagedObject] = []
        var conflicts: [Problem.Detail] = []
        for (index, write) in plan.writes.enumerated() {
            guard let object = objects[index], let row = row(of: index), let base = baseVersion(of: index) else {
                continue
            }
            guard row.version != base else {
                current.append(object)
                continue
            }
            switch plan.preferences.merge ?? .error {
            case .error: conflicts.append(conflict(write, with: row, base: base, try properties(of: row, since: base)))
            case .store where write.isDeletion: dropped.insert(index)
            case .object where write.isDeletion: current.append(object)
            case .store, .object:
                guard let changed = try properties(of: row, since: base) else {
                    conflicts.append(conflict(write, with: row, base: base, nil))
                    continue
                }
                if plan.preferences.merge == .store { keptProperties[index] = changed }
                current.append(object)
            case .overwrite: break
            case .rollback: dropped.insert(index)
            }
        }
        guard conflicts.isEmpty else { throw Problem.conflicts(conflicts) }
        return current
    }

    /// In an editing context: bases an object on the version that a change names, if it is the stored one. The client
    /// has seen the changes of others and decides.
    mutating func adoptBaseVersions() throws {
        for (index, write) in plan.writes.enumerated() {
            guard let object = objects[index], let row = row(of: index),
                let base = write.baseVersion ?? versionInPath(of: index), row.version != base,
                case let objectID = object.objectID, !objectID.isTemporary
            else { continue }
            // A pinned read doesn't use cached rows, which may be outdated.
            let stored = try api.coordinator.read(pinned: true) { reader in try reader.snapshots(of: [objectID])[0] }
            guard stored?.version == base else { continue }
            try refresh(object)
            rows[objectID] = try context.snapshots(of: [objectID])[0]
        }
    }

    private func refresh(_ object: ManagedObject) throws(GraphError) {
        let staleness = context.stalenessInterval
        context.stalenessInterval = .zero
        defer { context.stalenessInterval = staleness }
        try context.refresh(object, mergingChanges: true)
    }

    private func versionInPath(of index: Int) -> Int64? {
        guard index == 0, case .object = plan.answer else { return nil }
        return plan.conditions.ifMatch?.versions.max()
    }

    private func baseVersion(of index: Int) -> Int64? {
        if let version = plan.writes[index].baseVersion { return version }
        guard index == 0, plan.answer.isFromPath, let expected = plan.conditions.ifMatch else { return nil }
        if let row = row(of: index), expected.names(row.version) { return row.version }
        return expected.versions.max()
    }

    /// The names of the properties that others have changed since a version, or nil if no history says that.
    private func properties(of row: Snapshot, since base: Int64) throws -> Set<String>? {
        try api.coordinator.changedProperties(of: row.objectID, from: base, to: row.version)
    }

    /// - Parameter changed: The properties that others have changed; nil if they aren't known.
    private func conflict(
        _ write: ObjectWrite,
        with row: Snapshot,
        base: Int64,
        _ changed: Set<String>?
    ) -> Problem.Detail {
        var properties: [(String, JSONValue)] = []
        for change in write.changes where changed?.contains(change.property.property.name) ?? true {
            var sides: [(String, JSONValue)] = []
            if let stored = api.json(of: change.property, in: row) { sides.append(("stored", stored)) }
            if let requested = api.json(of: change) { sides.append(("requested", requested)) }
            properties.append((change.property.name, .object(JSONObject(sides))))
        }
        return Problem.Detail(
            object: api.catalogue.reference(to: row.objectID),
            code: "conflict",
            message: "It has version \(row.version), but the request is based on version \(base). "
                + Self.explanation(changed, properties.map(\.0)),
            extras: [
                "baseVersion": .integer(base), "storedVersion": .integer(row.version),
                "properties": .object(JSONObject(properties)),
            ]
        )
    }

    private static func explanation(_ changed: Set<String>?, _ properties: [String]) -> String {
        guard changed != nil else { return "The history doesn't reach back to that version." }
        if properties.isEmpty { return "Others have changed none of the requested properties since." }
        return "Others have changed \(properties.joined(separator: ", ")) since."
    }

    private func stale(_ row: Snapshot) throws -> Problem {
        var problem =
            api.isOfContext
            ? Problem(
                .precondition,
                "The object isn't in the state that the request expects.",
                hint: "Check “current”, then send the change again with its ETag."
            )
            : Problem(
                .precondition,
                "The object has version \(row.version), not the one that the request expects.",
                hint: "Check “current”, then send the change again with its version."
            )
        let assembler = Assembler(reader: api.narrowed(context), catalogue: api.catalogue)
        problem.extras["current"] = api.json(of: try assembler.object(row, selecting: .all))
        problem.fields[.etag] = api.tag(of: row)
        return problem
    }
}

extension API {
    /// Whether this is the API of an editing context, where tags name the pending state of objects.
    var isOfContext: Bool { contexts == nil }

    /// The tag of a response with the whole object.
    func tag(of row: Snapshot) -> String {
        let shape = catalogue.shape(of: row.objectID.entity)
        guard isOfContext else { return row.tag(of: shape) }
        var buffer = JSONBuffer()
        buffer.write(ObjectDTO(row: row, shape: shape), in: catalogue)
        return row.draftTag(with: buffer.bytes).description
    }

    /// Whether the tags include the object's current state.
    fileprivate func names(_ row: Snapshot, of object: ManagedObject, in tags: EntityTagCondition) -> Bool {
        isOfContext ? tags.names(draft: row, isEdited: object.hasChanges) : tags.names(row.version)
    }
}

extension EntityTagCondition {
    /// Whether the tags include a version. The part after a hyphen identifies what else was shown, and doesn't matter
    /// to a change.
    func names(_ version: Int64) -> Bool {
        if case .any = self { true } else { versions.contains(version) }
    }

    /// Whether the tags include the current state of an editing context's object. A tag from outside of the context has
    /// only a version, and never matches an edited object.
    func names(draft row: Snapshot, isEdited: Bool) -> Bool {
        guard case .tags(let tags) = self else { return true }
        return tags.contains { tag in
            let parts = tag.opaque.split(separator: "-")
            guard !tag.isWeak, parts.first.flatMap({ Int64($0) }) == row.version else { return false }
            return parts.count < 3 ? !isEdited : parts[1] == row.draftState
        }
    }

    /// The versions in the tags. Weak tags name no version.
    fileprivate var versions: [Int64] {
        guard case .tags(let tags) = self else { return [] }
        return tags.compactMap { tag in
            tag.isWeak ? nil : tag.opaque.split(separator: "-", maxSplits: 1).first.flatMap { Int64($0) }
        }
    }
}

extension Problem {
    fileprivate static func conflicts(_ details: [Detail]) -> Problem {
        let names = details.prefix(3).compactMap(\.object).joined(separator: ", ")
        var problem = Problem(
            .conflict,
            "\(names)\(details.count > 3 ? " and more" : "") changed since the version that the request is based on.",
            hint: "Read it again, or choose a side with “Prefer: merge=object”, “store”, “overwrite” or “rollback”."
        )
        problem.errors = details
        return problem
    }
}
