// SPDX-License-Identifier: Apache-2.0

// Whether what is to be changed is still what the client goes out from.

import HTTPMessage
import JSON
import ObjectGraph

extension WriteAttempt {
    /// Compares the versions that the request goes out from with those of the rows.
    func checkVersions() throws {
        var conflicts: [Problem.Detail] = []
        for (index, write) in plan.writes.enumerated() {
            guard let object = objects[index], let base = baseVersion(of: index) else { continue }
            guard let row = try context.snapshots(of: [object.objectID])[0] else { continue }
            guard row.version != base else {
                // What only the members of a relationship tell is saved without a look at the row.
                if !isDraft { try context.detectConflicts(for: object) }
                continue
            }
            switch plan.preferences.merge ?? .error {
            case .error: conflicts.append(conflict(write, row, base))
            case .store, .object: throw Problem.needsHistory
            case .overwrite: break
            case .rollback: dropped.insert(index)
            }
        }
        guard conflicts.isEmpty else { throw Problem.conflicts(conflicts) }
    }

    /// That a change names no version that it goes out from, where it is configured so that each must.
    func missingVersion() -> Problem? {
        guard api.options.requiresPreconditions else { return nil }
        for (index, write) in plan.writes.enumerated() where write.location != nil && !write.onlyAdds {
            let isNamed = index == 0 && plan.answer.isOfPath && plan.conditions.ifMatch != nil
            if isNamed || write.baseVersion != nil { continue }
            return Problem(
                .preconditionRequired,
                "A change of \(write.place.object) must name the version that it goes out from.",
                hint: "Send the object's ETag as If-Match, or its _version in the body (in a transaction: version)."
            )
        }
        return nil
    }

    /// What the request's conditions have against the object in the path, which is there.
    func staleness() throws -> Problem? {
        guard plan.answer.isOfPath, let object = objects.first ?? nil, !plan.writes[0].isInsertion,
            let row = try context.snapshots(of: [object.objectID])[0]
        else { return nil }
        let isNamed = { (tags: EntityTagCondition) in
            self.isDraft ? tags.names(draft: row, isEdited: object.hasChanges) : tags.names(row.version)
        }
        if plan.conditions.ifNoneMatch.map(isNamed) == true { return try Problem.stale(row, self) }
        guard let expected = plan.conditions.ifMatch, !isNamed(expected) else { return nil }
        // A merge policy says what becomes of it instead.
        guard plan.preferences.merge != nil, expected.versions.max() != nil else { return try Problem.stale(row, self) }
        return nil
    }

    private func baseVersion(of index: Int) -> Int64? {
        if let version = plan.writes[index].baseVersion { return version }
        guard index == 0, plan.answer.isOfPath, let expected = plan.conditions.ifMatch else { return nil }
        if let object = objects[0], let row = try? context.snapshots(of: [object.objectID])[0],
            expected.names(row.version)
        {
            return row.version
        }
        return expected.versions.max()
    }

    private func conflict(_ write: ObjectWrite, _ row: Snapshot, _ base: Int64) -> Problem.Detail {
        var properties: [(String, JSONValue)] = []
        for change in write.changes {
            var sides: [(String, JSONValue)] = []
            if let stored = api.json(of: change.property, in: row) { sides.append(("stored", stored)) }
            if let requested = api.json(of: change) { sides.append(("requested", requested)) }
            properties.append((change.property.name, .object(JSONObject(sides))))
        }
        return Problem.Detail(
            object: api.catalogue.reference(to: row.objectID),
            code: "conflict",
            message: "It is of version \(row.version), and the request goes out from version \(base).",
            extras: [
                "baseVersion": .integer(base), "storedVersion": .integer(row.version),
                "properties": .object(JSONObject(properties)),
            ]
        )
    }
}

extension EntityTagCondition {
    /// Whether a version is among the states named. Behind a hyphen stands what else was shown, which is nothing to a change.
    func names(_ version: Int64) -> Bool {
        if case .any = self { true } else { versions.contains(version) }
    }

    /// Whether an object of an editing context is in one of the states named. Tags from out of it name a version alone, and no object that
    /// is edited.
    func names(draft row: Snapshot, isEdited: Bool) -> Bool {
        guard case .tags(let tags) = self else { return true }
        return tags.contains { tag in
            let parts = tag.opaque.split(separator: "-")
            guard !tag.isWeak, parts.first.flatMap({ Int64($0) }) == row.version else { return false }
            return parts.count < 3 ? !isEdited : parts[1] == row.draftState
        }
    }

    /// The versions that are named. A weak tag names no version.
    var versions: [Int64] {
        guard case .tags(let tags) = self else { return [] }
        return tags.compactMap { tag in
            tag.isWeak ? nil : tag.opaque.split(separator: "-", maxSplits: 1).first.flatMap { Int64($0) }
        }
    }
}

extension Problem {
    /// A row isn't of the version that a field says.
    fileprivate static func stale(_ row: Snapshot, _ attempt: WriteAttempt) throws -> Problem {
        var problem =
            attempt.isDraft
            ? Problem(
                .precondition,
                "The object isn't in the state here that the request expects.",
                hint: "Look at “current”, and send the change again with its ETag."
            )
            : Problem(
                .precondition,
                "The object is of version \(row.version), which isn't what the request expects.",
                hint: "Look at “current”, and send the change again with its version."
            )
        let assembler = Assembler(reader: attempt.context, catalogue: attempt.api.catalogue)
        problem.extras["current"] = attempt.api.json(of: try assembler.object(row, .all))
        problem.fields[.etag] = WriteAnswer(attempt).tag(row)
        return problem
    }

    static func conflicts(_ details: [Detail]) -> Problem {
        let names = details.prefix(3).compactMap(\.object).joined(separator: ", ")
        var problem = Problem(
            .conflict,
            "\(names)\(details.count > 3 ? " and more" : "") changed since the version that the request goes out from.",
            hint: "Read it again, or say by “Prefer: merge=overwrite” or “merge=rollback” which side is to stay."
        )
        problem.errors = details
        return problem
    }

    fileprivate static var needsHistory: Problem {
        Problem(
            .notImplemented,
            "Merging property by property needs the store's history, which isn't kept yet.",
            hint: "“Prefer: merge=overwrite” and “merge=rollback” are there."
        )
    }
}
