// SPDX-License-Identifier: Apache-2.0

// Reads an object as it was at an earlier position of the history.

import JSON
import ObjectGraph

extension API {
    /// The row that an object had at a token, where nothing requested has changed since: a history has the names of
    /// changed properties, not their values.
    func row(
        _ target: ObjectLocation,
        asOf token: HistoryToken,
        selecting selection: Selection,
        from reader: some GraphReading
    ) throws -> Snapshot {
        guard let objectID = names.objectID(of: target.resource, key: target.key) else {
            throw Problem.notFound(target)
        }
        let requested = try selection.storedNames
        // A commit between both reads is in the history, so what it has changed isn't taken for what was then.
        let row = try reader.snapshots(of: [objectID])[0]
        // A deleted object can't be told from one that an identity can't read.
        if access != nil, row == nil { throw Problem.notFound(target) }
        let changes = try changes(of: objectID, since: token)
        guard !changes.contains(where: { $0.kind == .insert }) else {
            throw Problem(.notFound, "“\(target.name)” didn't exist then.")
        }
        guard let row else {
            if changes.isEmpty { throw Problem.notFound(target) }
            throw Problem(.gone, "“\(target.name)” was deleted since, and the history doesn't keep its values.")
        }
        guard row.objectID.entity.isKind(of: target.resource.entity), catalogue.shows(row.objectID) else {
            throw Problem.notFound(target)
        }
        try check(changes, requested, of: target, catalogue[row.objectID.entity])
        let increments = changes.count { $0.incrementsVersion ?? true }
        return Snapshot(objectID: row.objectID, version: row.version - Int64(increments), row: row.row)
    }

    /// Throws if the changes concern a requested property.
    private func check(
        _ changes: [HistoryChange],
        _ requested: Set<String>?,
        of target: ObjectLocation,
        _ resource: Resource
    ) throws {
        let all = requested ?? Set(resource.properties.map(\.property.name))
        var changed: Set<String> = []
        for change in changes { changed.formUnion(change.properties.map(Set.init) ?? all) }
        let lost = all.intersection(changed).compactMap(resource.name(ofProperty:)).sorted()
        guard !lost.isEmpty else { return }
        var problem = Problem(
            .gone,
            "“\(target.name)” has changed since in \(lost.joined(separator: ", ")), and the history doesn't keep values.",
            hint: "With “select”, properties that haven't changed can be read."
        )
        problem.extras["properties"] = .array(lost.map(JSONValue.string))
        throw problem
    }

    private func changes(of objectID: ManagedObjectID, since token: HistoryToken) throws -> [HistoryChange] {
        var request = HistoryRequest(after: token)
        request.filter.object = objectID
        var changes: [HistoryChange] = []
        while true {
            let result = try Problem.trimmed(hint: "Without “asOf”, the object is read as it is now.") {
                try coordinator.history(request)
            }
            changes += result.transactions.flatMap(\.changes)
            guard result.hasMore else { return changes }
            request.token = result.token
        }
    }
}

extension Selection {
    /// The names in the model of the selected properties, or nil for all that rows have.
    fileprivate var storedNames: Set<String>? {
        get throws(Problem) {
            let embedded = embedded.map(\.property)
            for property in (properties ?? []) + embedded {
                if property.attribute != nil || property.relationship?.isToMany == false { continue }
                throw Problem(
                    .parameter,
                    "With “asOf”, “\(property.name)” can't be read.",
                    hint: "Select attributes and to-one relationships."
                )
            }
            return properties.map { Set(($0 + embedded).map(\.property.name)) }
        }
    }
}
