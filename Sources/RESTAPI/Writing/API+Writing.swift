// SPDX-License-Identifier: Apache-2.0

// Executes a write in three steps: resolve, apply, and then save, rehearse or leave as a draft.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates

/// The outcome of one attempt to save a write.
enum WriteOutcome: Sendable {
    case done(Reply)
    /// Rows were changed by others after they were read, or cached.
    case overtaken
    /// Unique values of new objects are taken; the objects that have them are changed instead.
    case taken([Int: AppliedWrite.Substitute])
    /// Unique values of objects are taken; the merge policy decides.
    case undecided
    /// Unique values of objects are taken; the objects that have them are deleted.
    case displaced([ManagedObjectID])
}

extension API {
    /// Executes a plan in a context of its own, which saves or rehearses it. After a conflict it is repeated with the
    /// newest rows: a change that names no version is based on these and is never a conflict.
    func write(_ plan: WritePlan, recorder: AnswerRecorder? = nil) throws -> Reply {
        let plan = try plan.hashingPasswords(of: accounts)
        var substitutes: [Int: AppliedWrite.Substitute] = [:]
        var displaced: [ManagedObjectID] = []
        var policy: MergePolicy.Kind?
        for attempt in 0..<Self.attemptLimit {
            try WorkLimits.check()
            let outcome = try coordinator.withContext { [substitutes, displaced, policy] context in
                context.retainsRegisteredObjects = true
                context.transactionAuthor = author(plan.author)
                context.constraintPolicy = policy
                if attempt > 0 { context.stalenessInterval = .zero }
                let resolved = try ResolvedWrite(plan, in: context, of: self)
                // Another process may have changed the stores since rows were cached; the next attempt reads them again.
                if attempt == 0, resolved.isOutdated { return WriteOutcome.overtaken }
                let write = try apply(resolved, substituting: substitutes, displacing: displaced)
                return plan.isDryRun
                    ? try WriteDryRun(write: write).run()
                    : try WriteSave(write: write, recorder: recorder).run()
            }
            switch outcome {
            case .done(let reply): return reply
            case .overtaken: continue
            case .taken(let others): substitutes = others
            case .displaced(let others): displaced += others
            case .undecided: policy = plan.preferences.merge?.policy ?? .error
            }
        }
        throw Problem.overtaken
    }

    /// Applies a resolved plan, and throws all findings in it.
    ///
    /// `If-Match` is checked twice. As a precondition it fails the whole request, with 412, but only if that would
    /// otherwise succeed. As the version that a change is based on, like `_version`, it is a conflict, which the merge
    /// policy may resolve; the save then checks that the row still has the version.
    private func apply(
        _ resolved: ResolvedWrite,
        substituting substitutes: [Int: AppliedWrite.Substitute],
        displacing displaced: [ManagedObjectID]
    ) throws -> AppliedWrite {
        var resolved = resolved
        let failed = try resolved.failedPrecondition()
        if failed == nil, resolved.findings.isEmpty {
            // Otherwise a save that changes only members of relationships doesn't check the row.
            for object in try resolved.compareVersions() { try resolved.context.detectConflicts(for: object) }
        }
        var write = AppliedWrite(resolved, substituting: substitutes, displacing: displaced)
        try write.run()
        if let renaming = RenamedAccounts(accounts, in: write.context) {
            try renaming.check()
            try renaming.unverify()
        }
        if let check = AccessCheck(write) {
            try check.access.forceValues(of: write.context.insertedObjects, in: write.context)
            try check.run()
        }
        try write.checkFindings()
        if let failed {
            try write.check()
            throw failed
        }
        try write.checkAnswerSize()
        return write
    }

    /// An attempt fails only because another request has succeeded, except for the first, which may use outdated rows.
    private static let attemptLimit = 1_000

    /// Executes a plan in an editing context without saving.
    func draft(_ plan: WritePlan, in context: ManagedObjectContext) throws -> Reply {
        var changes = RequestChanges()
        let observation = context.observeChanges { changes.add($0) }
        defer { context.remove(observation) }
        var resolved = try ResolvedWrite(plan, in: context, of: self)
        try resolved.adoptBaseVersions()
        if let problem = try resolved.staleness() { throw problem }
        if resolved.findings.isEmpty { _ = try resolved.compareVersions() }
        let draft = DraftAccess(self, in: context)
        var write = AppliedWrite(resolved)
        try write.run()
        try context.processPendingChanges()
        if let draft {
            try draft.check(write)
            try draft.access.forceValues(of: changes.touched.inserted, in: context)
            try context.processPendingChanges()
            try draft.check(changes.touched)
        }
        try write.findings.check()
        try write.checkAnswerSize()
        return try WriteDraft(write: write, changes: changes).reply()
    }

    // MARK: JSON in problems

    func json(of object: ObjectDTO) -> JSONValue { JSONValue { $0.write(object, in: catalogue) } ?? .null }

    /// The stored value of a property, or nil if rows don't have it.
    ///
    /// - Parameter isPresent: Whether the object's path returns this row, so that the paths of its bytes are valid.
    func json(of property: ResourceProperty, in row: Snapshot, isPresent: Bool = true) -> JSONValue? {
        switch row.objectID.entity.property(named: property.property.name) {
        case .attribute(let attribute):
            let value = property.shown(row.row.attributes[attribute.slot])
            guard attribute.type == .binary else { return JSONValue { $0.write(value, of: attribute) } }
            let href = isPresent ? catalogue.href(of: attribute, of: row.objectID) : nil
            return JSONValue { $0.write(bytes: value, at: href) }
        case .relationship(let relationship) where !relationship.isToMany:
            return JSONValue { $0.write(row.row.toOnes[relationship.slot], in: catalogue) }
        case .relationship, .fetched, nil: return nil
        }
    }

    /// The value that a request has for a property, or nil if it has no short form.
    func json(of write: PropertyWrite) -> JSONValue? {
        switch write.change {
        case .value(let value):
            guard let attribute = write.property.attribute, attribute.type != .binary else { return nil }
            return JSONValue { $0.write(value, of: attribute) }
        case .increment(let amount): return JSONValue { $0.write(amount) }.map { ["$inc": $0] }
        case .toOne(let reference): return reference.map(\.json) ?? .null
        case .members(let references): return .array(references.map(\.json))
        case .merge, .edit, .keep: return nil
        }
    }
}

extension JSONValue {
    /// The JSON that a closure writes, or nil if that is invalid.
    init?(writing write: (inout JSONBuffer) -> Void) {
        var buffer = JSONBuffer()
        write(&buffer)
        guard let value = try? JSONValue(parsing: buffer.bytes) else { return nil }
        self = value
    }
}

extension Reference {
    fileprivate var json: JSONValue {
        switch target {
        case .write, .unique: .object(JSONObject())
        case .temporary(let name): .string(name)
        case .stored(let location): .string(location.name)
        }
    }
}
