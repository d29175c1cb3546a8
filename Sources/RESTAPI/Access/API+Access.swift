// SPDX-License-Identifier: Apache-2.0

// What the API of an identity reads and answers.

package import AccessRules
import HTTPMessage
import ObjectGraph

extension API {
    /// Replaces the access rules; does nothing on a server without them.
    ///
    /// - Parameters:
    ///   - authenticator: Finds identities from now on.
    ///   - accounts: The accounts, if accounts can sign in by the new rules.
    package func replaceAccess(
        by policy: AccessPolicy,
        authenticator: any Authenticator,
        accounts: Accounts?
    ) {
        accessGuard?.replace(by: policy, authenticator: authenticator, accounts: accounts)
    }

    /// The names of all roles; nil on a server without access rules.
    var roleNames: Set<String>? {
        (rules?.policy ?? accessGuard?.policy).map { Set($0.roles.keys) }
    }

    /// Runs a closure that reads what the identity may read.
    ///
    /// - Parameter pinned: Whether all its reads see one state of the stores.
    func read<Result: Sendable>(
        pinned: Bool = false,
        _ body: @Sendable (NarrowedReader<CoordinatorReader>) throws -> Result
    ) throws -> Result {
        try coordinator.read(pinned: pinned) { reader in try body(self.narrowed(reader)) }
    }

    /// A reader of what the identity may read.
    func narrowed<Reader: GraphReading>(_ reader: Reader) -> NarrowedReader<Reader> {
        NarrowedReader(reader, for: access)
    }

    /// The author of a change: the identity, or else the one that the request names.
    func author(_ named: String?) -> String? { access?.identity.name ?? named }

    /// The error without objects that the identity can't read.
    func omittingUnreadable(of error: GraphError) -> GraphError {
        guard access != nil else { return error }
        let named = error.constraintConflicts.compactMap(\.stored?.objectID) + error.failures.flatMap(\.blockingObjects)
        let rows = (try? read { try $0.snapshots(of: named) }) ?? named.map { _ in nil }
        let hidden = Set(zip(named, rows).filter { $0.1 == nil }.map(\.0))
        var error = error
        error.constraintConflicts = error.constraintConflicts.map { violation in
            let stored = violation.stored.flatMap { hidden.contains($0.objectID) ? nil : $0 }
            return ConstraintViolation(constraint: violation.constraint, objects: violation.objects, stored: stored)
        }
        for index in error.failures.indices { error.failures[index].blockingObjects.removeAll(where: hidden.contains) }
        error.conflicts = error.conflicts.map(shown)
        return error
    }

    /// A conflict as the identity sees it: a row that it can't read any more is as if it had been deleted.
    private func shown(_ conflict: MergeConflict) -> MergeConflict {
        let edited = conflict.edited.map { Snapshot(objectID: conflict.objectID, version: 0, row: $0) }
        return
            (try? read { reader in
                let stored = try conflict.stored.map { try reader.readable([$0]).isEmpty ? nil : reader.shown([$0])[0] }
                return MergeConflict(
                    objectID: conflict.objectID,
                    base: try reader.shown([conflict.base])[0],
                    stored: stored ?? nil,
                    edited: try edited.map { try reader.shown([$0])[0].row }
                )
            }) ?? MergeConflict(objectID: conflict.objectID, base: conflict.base, stored: nil, edited: conflict.edited)
    }

    /// Whether the identity may read a row as it is, as far as that is known without reading others.
    func isShownFromMemory(_ row: Snapshot) -> Bool {
        guard let access else { return true }
        return access.shows(row)
    }

    /// Tells caches that answers depend on the credential.
    func addAccessFields(to response: inout HTTPResponse) {
        guard identity != nil || accessGuard != nil else { return }
        response.fields.add(.vary, FieldName.authorization.description)
        if response.fields[.cacheControl] == "no-cache" { response.fields[.cacheControl] = "private, no-cache" }
    }
}

extension TouchedObjects {
    /// The objects that the identity can read as they are stored.
    func readable(to api: API, in context: ManagedObjectContext) throws -> TouchedObjects {
        guard api.access != nil else { return self }
        let reader = api.narrowed(context.committedReader)
        func readable(_ objects: [ManagedObject]) throws -> [ManagedObject] {
            let rows = try reader.snapshots(of: objects.map(\.objectID))
            return zip(objects, rows).filter { $0.1 != nil }.map(\.0)
        }
        return TouchedObjects(inserted: inserted, updated: try readable(updated), deleted: try readable(deleted))
    }
}

extension Problem {
    /// For identities that don't administer.
    static let administration = Problem(
        .forbidden,
        "This is for identities that administer the server.",
        hint: "Use a credential whose role has “administers”."
    )
}
