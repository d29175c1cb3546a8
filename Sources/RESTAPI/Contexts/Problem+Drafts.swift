// SPDX-License-Identifier: Apache-2.0

// Problems of an editing context's save, with the names that objects have in the context.

import HTTPMessage
import JSON
import ObjectGraph
import Predicates

extension Problem {
    init(ofDraft error: GraphError, _ context: ManagedObjectContext, _ api: API) {
        switch error.code {
        case _ where !error.failures.isEmpty: self = .invalidDraft(error, in: context, api: api)
        case .conflict where !error.conflicts.isEmpty: self = .conflictingDraft(error, in: api)
        default: self.init(error, in: api.catalogue)
        }
    }

    private static func invalidDraft(_ error: GraphError, in context: ManagedObjectContext, api: API) -> Problem {
        let isDenied = error.failures.allSatisfy { $0.code == .relationshipDeniedDelete }
        var problem = Problem(isDenied ? .deleteDenied : .validation, error.message)
        problem.errors = error.failures.prefix(errorLimit).map { failure in
            var extras = JSONObject()
            if failure.code == .relationshipDeniedDelete {
                extras["objects"] = .array(failure.blockingObjects.map { .string(api.catalogue.reference(to: $0)) })
            }
            return Detail(
                object: failure.objectID.map(api.catalogue.reference) ?? failure.entityName,
                property: api.catalogue.property(of: failure),
                code: failure.code.name,
                message: failure.lostDestination(in: context, api: api).map { "\($0) no longer exists." }
                    ?? api.catalogue.message(of: failure),
                extras: extras
            )
        }
        problem.omittedErrors = error.failureCount - problem.errors.count
        if problem.errorCount == 1 { problem.detail = problem.errors[0].message }
        return problem
    }

    /// Rows that other writers have changed or deleted since the context read them, with the values of all sides.
    private static func conflictingDraft(_ error: GraphError, in api: API) -> Problem {
        let names = error.conflicts.prefix(3).map { api.catalogue.reference(to: $0.objectID) }.joined(separator: ", ")
        var problem = Problem(
            .conflict,
            "Other requests have changed \(names)\(error.conflicts.count > 3 ? " and more" : "") since this context read them.",
            hint: hint(for: error.conflicts)
        )
        problem.errors = error.conflicts.prefix(errorLimit).map { conflict in
            var properties: [(String, JSONValue)] = []
            for property in api.catalogue[conflict.objectID.entity].properties where property.isContested(conflict) {
                var sides: [(String, JSONValue)] = []
                func add(_ name: String, _ row: Row?, _ version: Int64) {
                    guard let row else { return }
                    let snapshot = Snapshot(objectID: conflict.objectID, version: version, row: row)
                    // The requested values are the context's present ones.
                    let json = api.json(of: property, in: snapshot, isPresent: name == "requested")
                    if let json { sides.append((name, json)) }
                }
                add("base", conflict.base.row, conflict.base.version)
                add("stored", conflict.stored?.row, conflict.stored?.version ?? 0)
                add("requested", conflict.edited, conflict.base.version)
                properties.append((property.name, .object(JSONObject(sides))))
            }
            return Detail(
                object: api.catalogue.reference(to: conflict.objectID),
                code: "conflict",
                message: conflict.stored == nil
                    ? "It was deleted by another request since this context read it."
                    : conflict.edited == nil
                        ? "This context deletes it, but it was changed by another request."
                        : "It was changed by another request since this context read it.",
                extras: [
                    "baseVersion": .integer(conflict.base.version),
                    "storedVersion": conflict.stored.map { .integer($0.version) } ?? .null,
                    "properties": .object(JSONObject(properties)),
                ]
            )
        }
        return problem
    }
}

extension Problem {
    /// How to resolve conflicts. A row that was deleted has no version to base a change on.
    private static func hint(for conflicts: [MergeConflict]) -> String {
        let policies = "Choose a side with “Prefer: merge=store|object|overwrite|rollback”"
        let values = "send the chosen values with the storedVersion as _version"
        let deletion = "DELETE the objects that were deleted elsewhere"
        switch (conflicts.contains { $0.stored == nil }, conflicts.contains { $0.stored != nil }) {
        case (true, true): return "\(policies), or \(values) and \(deletion), and save again."
        case (true, false):
            return "\(policies), where “object” and “overwrite” recreate it, or \(deletion), and save again."
        default: return "\(policies), or \(values), and save again."
        }
    }
}

extension ResourceProperty {
    /// Whether the property was edited here, and, as far as known, changed by the other writer too.
    fileprivate func isContested(_ conflict: MergeConflict) -> Bool {
        if attribute?.isTransient == true || relationship?.isToMany == true { return false }
        guard let edited = conflict.edited else {
            return conflict.stored.map { !isSame(in: conflict.base.row, and: $0.row) } ?? false
        }
        guard !isSame(in: conflict.base.row, and: edited) else { return false }
        return conflict.stored.map { !isSame(in: conflict.base.row, and: $0.row) } ?? true
    }
}

extension ValidationFailure {
    /// The reference of a deleted object that this one refers to.
    fileprivate func lostDestination(in context: ManagedObjectContext, api: API) -> String? {
        guard code == .referentialIntegrity, case .reference(let reference)? = value else { return nil }
        return context.objectID(forURI: reference.uri).map(api.catalogue.reference)
    }
}
