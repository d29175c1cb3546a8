// SPDX-License-Identifier: Apache-2.0

// Requests that concern editing contexts as a whole.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import Predicates
import SourceText

extension EditingContexts {
    /// The contexts that an identity may use. For one that everything is permitted, also those of an earlier run that
    /// couldn't be loaded, if there are any.
    func list(for access: Access?) -> JSONValue {
        let usable = all.filter { $0.settings.admits(access) }
        var members: [(String, JSONValue)] = [("items", .array(usable.map(summary)))]
        guard access == nil else { return .object(JSONObject(members)) }
        let lost = self.lost.map { (name, reason) -> JSONValue in ["context": .string(name), "reason": .string(reason)]
        }
        if !lost.isEmpty { members.append(("lost", .array(lost))) }
        return .object(JSONObject(members))
    }

    /// A context, without reading its pending changes.
    func summary(of head: ContextHead) -> JSONValue { .object(JSONObject(members(of: head))) }

    /// A context, and the numbers of its pending changes.
    func status(of context: EditingContext) throws -> JSONValue {
        let pending = try context.family.perform(in: context.member) { PendingCounts($0) }
        let counts: [(String, JSONValue)] = [
            ("hasChanges", .bool(pending.hasChanges)),
            ("inserted", .integer(pending.inserted)), ("updated", .integer(pending.updated)),
            ("deleted", .integer(pending.deleted)), ("conflicts", .integer(pending.conflicts)),
            ("undo", .integer(pending.undo)), ("redo", .integer(pending.redo)),
            ("children", .array(children(of: context.head).map { .string($0.name) })),
        ]
        return .object(JSONObject(members(of: context.head) + counts))
    }

    private func members(of head: ContextHead) -> [(String, JSONValue)] {
        let settings = head.settings
        var members: [(String, JSONValue)] = [("context", .string(head.name))]
        if let name = settings.name { members.append(("name", .string(name))) }
        members += [
            ("mergePolicy", .string(settings.mergePolicy.rawValue)),
            ("automaticallyMergesChanges", .bool(settings.automaticallyMergesChanges)),
        ]
        if !settings.sharedWith.isEmpty {
            members.append(("sharedWith", .array(settings.sharedWith.map(JSONValue.string))))
        }
        if let notice = head.notice { members.append(("notice", .string(notice))) }
        if let parent = head.parent { members.append(("parent", .string(parent.name))) }
        let expires = Date.now.addingTimeInterval(head.remaining(of: idleTime) / .seconds(1))
        // Whole seconds are precise enough.
        let text = { (date: Date) in
            DateText.text(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down)))
        }
        members += [
            ("created", .string(text(head.created) ?? "")), ("expires", .string(text(expires) ?? "")),
        ]
        return members
    }
}

/// The numbers of pending changes in a context.
private struct PendingCounts: Sendable {
    let inserted: Int
    let updated: Int
    let deleted: Int
    let conflicts: Int
    let undo: Int
    let redo: Int

    init(_ context: ManagedObjectContext) {
        let differing = context.differingObjects
        inserted = context.insertedObjects.count
        updated = differing.count
        deleted = context.deletedObjects.count
        conflicts = differing.count { object in
            !context.editConflicts(of: object).isEmpty || context.isDeletedByOthers(object)
        }
        undo = context.undoManager?.undoCount ?? 0
        redo = context.undoManager?.redoCount ?? 0
    }

    var hasChanges: Bool { inserted + updated + deleted > 0 }

    /// The result of undo or redo.
    var json: JSONValue {
        [
            "hasChanges": .bool(hasChanges), "inserted": .integer(inserted), "updated": .integer(updated),
            "deleted": .integer(deleted), "undo": .integer(undo), "redo": .integer(redo),
        ]
    }
}

extension EditingContext {
    /// Runs undo, redo or similar and returns the numbers of pending changes. It is reverted if it can't be written to
    /// the journal.
    func step(
        _ recorder: AnswerRecorder?,
        _ body: @Sendable (ManagedObjectContext) throws -> Void
    ) throws -> Reply {
        try once(recorder) { [self] context in
            try context.restoringOnFailure {
                try body(context)
                try context.processPendingChanges()
                if !context.hasChanges { context.invalidatePendingSize() }
                let reply = Reply(.json(PendingCounts(context).json))
                try keep(context, answering: recorder?.contextAnswer(reply))
                return reply
            }
        }
    }

    /// Finds what would prevent a save: validation errors, denied deletions, duplicates of unique values, and conflicts
    /// with other writers.
    func validate(in api: API) throws -> Reply {
        do {
            try perform { [self] context in
                try context.processPendingChanges()
                try context.validate()
                if context.mergePolicy.kind == .error { try tryToSave(context) }
            }
            return Reply(.json(["valid": true, "errors": .array([])]))
        } catch let error as GraphError
            where [.validation, .constraint, .conflict].contains(error.code) || !error.failures.isEmpty
        {
            let problem = try perform { context in Problem(ofDraft: error, context, api) }
            var answer: JSONObject = ["valid": false, "errors": .array(problem.errors.map(\.json))]
            if problem.omittedErrors > 0 { answer["errorsOmitted"] = .integer(problem.omittedErrors) }
            return Reply(.json(.object(answer)))
        }
    }

    /// Tries a save without keeping it.
    private func tryToSave(_ context: ManagedObjectContext) throws {
        struct DryRunCompleted: Error {}
        do {
            try context.withUndoGroup {
                _ = try context.rehearseSave()
                throw DryRunCompleted()
            }
        } catch is DryRunCompleted {}
    }

    /// Saves into the stores or into the parent.
    ///
    /// - Parameters:
    ///   - preferences: The merge policy for this save only, and whether to return what was saved.
    ///   - api: The context's API, or the same for clients of another version of the model.
    ///   - accounts: The accounts, which the context's API doesn't know.
    func save(
        _ preferences: Preferences,
        author: String?,
        recorder: AnswerRecorder?,
        in api: API,
        accounts: ServedAccounts?
    ) throws -> Reply {
        try once(recorder) { [self] context in
            try context.processPendingChanges()
            let access = DraftAccess(api, in: context)
            try access?.check()
            let policy = context.mergePolicy
            defer {
                context.mergePolicy = policy
                context.constraintPolicy = nil
            }
            if let merge = preferences.merge { context.mergePolicy = MergePolicy(merge.policy) }
            // Merges only the properties that were set, so that a new object's defaults don't overwrite those of the
            // object with its unique values.
            if context.mergePolicy.kind == .overwrite { context.constraintPolicy = .mergeByPropertyObjectTrump }
            var saved: ObjectsDidSave?
            let observation = context.observe { if case .didSave(let done) = $0 { saved = done } }
            defer { context.remove(observation) }
            context.transactionAuthor = api.author(author)
            let new = context.insertedObjects.compactMap { object in
                object.objectID.temporaryNumber.map { NewObject($0, object) }
            }
            let renaming = RenamedAccounts(accounts, in: context)
            try renaming?.check()
            let renamed = parent == nil ? renaming?.renamedIDs ?? [] : []
            do {
                try renaming.unverifying {
                    try revertingContested(in: context) { () throws(GraphError) in
                        try self.save(context, inserting: new, recorder: recorder, checkedBy: access, and: renaming)
                    }
                }
            } catch let error as GraphError {
                if let refusal = error.underlying as? Problem { throw refusal }
                if error.code == .contextFull, let parent { throw Problem.full(parent.head.name, because: error) }
                throw Problem(ofDraft: api.omittingUnreadable(of: error), context, api)
            }
            RenamedAccounts.verify(renamed, of: accounts, in: api)
            let ids = permanentIDs(of: new, in: context)
            let rows = api.access == nil ? nil : try api.narrowed(context).snapshots(of: ids.map(\.objectID))
            var reply = Self.saved(ids.indices.filter { rows?[$0] != nil || rows == nil }.map { ids[$0] }, in: api)
            if preferences.returning.contains(.changes) {
                reply.add(try saved.map { try changes(TouchedObjects(savedBy: $0), in: context, api) } ?? [])
            }
            // The save is done, so its answer is stored even if it is too long.
            try writeSaved(context, answering: try? recorder?.contextAnswer(reply, isLimited: false))
            return reply
        }
    }

    /// The answer to a save: the permanent references of objects by their temporary ones.
    static func saved(_ ids: [(number: UInt32, objectID: ManagedObjectID)], in api: API) -> Reply {
        let ids = ids.filter { api.catalogue.shows($0.objectID) }.map { number, objectID -> (String, JSONValue) in
            let path = api.catalogue[objectID.entity].path
            return ("\(path)/t\(number)", .string(api.catalogue.reference(to: objectID)))
        }
        return Reply(.json(["ids": .object(JSONObject(ids))]))
    }

    /// All saved objects that the identity can read.
    private func changes(
        _ saved: TouchedObjects,
        in context: ManagedObjectContext,
        _ api: API
    ) throws -> [JSONValue] {
        let catalogue = api.catalogue
        let reader = api.narrowed(context)
        func changes(_ objects: [ManagedObject], kind: WrittenDTO.Change.Kind) throws -> [JSONValue] {
            try reader.snapshots(of: objects.map(\.objectID).filter(catalogue.shows)).compactMap { row in
                row.map { catalogue.change(of: $0.objectID, version: $0.version, kind: kind) }
            }
        }
        let deleted = saved.shown(to: api.access).deleted.filter { catalogue.shows($0.objectID) }.map {
            catalogue.change(of: $0.objectID, version: $0.rowVersion, kind: .deleted)
        }
        return try changes(saved.inserted, kind: .inserted) + changes(saved.updated, kind: .updated) + deleted
    }

    /// - Parameter access: Checks what will be written: the merge policy may change or delete objects that have the same
    ///   unique values, and merge changes into rows that the rules no longer let the identity change.
    private func save(
        _ context: ManagedObjectContext,
        inserting new: [NewObject],
        recorder: AnswerRecorder?,
        checkedBy access: DraftAccess?,
        and accounts: RenamedAccounts?
    ) throws(GraphError) {
        let noted = nextSave(recorder)
        guard noted != nil || access != nil || accounts != nil else { return try context.save() }
        let lifetime = api.options.answerLifetime
        try context.save { () throws(GraphError) in
            do { try access?.check() } catch { throw .refused(error) }
            try accounts?.checkSave()
            return try noted?.note(of: new, in: context, lifetime: lifetime)
        }
        if noted != nil { countSave() }
    }

    /// The permanent IDs after a save, by temporary number. An object that was merged into another
    /// one gets the other's ID.
    private func permanentIDs(
        of new: [NewObject],
        in context: ManagedObjectContext
    ) -> [(number: UInt32, objectID: ManagedObjectID)] {
        guard parent == nil else { return [] }
        return new.sorted { $0.number < $1.number }.compactMap { number, object in
            let temporary = object.objectID
            guard temporary.isTemporary else { return (number, temporary) }
            guard let objectID = context.survivor(of: object) else { return nil }
            family.temporaryIDs.replace(temporary, by: objectID)
            return (number, objectID)
        }
    }

    /// Saves. Before that, objects edited on both sides are reverted if the policy requires it: with `store` the
    /// contested properties, with `rollback` all edits of these objects. The reversion is an undo step.
    private func revertingContested(in context: ManagedObjectContext, _ save: () throws(GraphError) -> Void) throws {
        let kind = context.mergePolicy.kind
        // Deletions by other writers are conflicts, which the save finds.
        let contested = context.updatedObjects.filter {
            !context.editConflicts(of: $0).isEmpty && !context.isDeletedByOthers($0)
        }
        guard kind == .mergeByPropertyStoreTrump || kind == .rollback, !contested.isEmpty else { return try save() }
        try context.withUndoGroup {
            for object in contested { try context.revert(object, isWhole: kind == .rollback) }
            try save()
        }
    }
}

extension Catalogue {
    fileprivate func change(
        of objectID: ManagedObjectID,
        version: Int64,
        kind: WrittenDTO.Change.Kind
    ) -> JSONValue {
        [
            "_id": .string(reference(to: objectID)), "_entity": .string(self[objectID.entity].name),
            "_version": .integer(version), "change": .string(kind.rawValue),
        ]
    }
}

extension Reply {
    /// Adds what a save has changed.
    fileprivate mutating func add(_ changes: [JSONValue]) {
        guard case .json(let json) = content else { return }
        content = .json(json.with("_changed", .array(changes)))
        fields[.preferenceApplied] = "return=changes"
    }
}

extension ManagedObjectContext {
    /// Resets an object's contested properties, or all of them, to the committed values.
    fileprivate func revert(_ object: ManagedObject, isWhole: Bool) throws(GraphError) {
        guard let committed = object.committedSnapshot?.row else { return }
        let contested = Set(editConflicts(of: object).map(\.property))
        for attribute in object.entity.attributes where isWhole || contested.contains(.attribute(attribute)) {
            let value = committed.attributes[attribute.slot]
            guard attribute.isPersistent, !attribute.isDerived else { continue }
            try object.setValue(value, of: attribute)
        }
        for relationship in object.entity.toOnes where isWhole || contested.contains(.relationship(relationship)) {
            let destination = committed.toOnes[relationship.slot].map(self.object(with:))
            try object.setObject(destination?.isDeleted == true ? nil : destination, of: relationship)
        }
    }
}

extension Problem {
    fileprivate static func full(_ parent: String, because error: GraphError) -> Problem {
        Problem(
            .tooLarge,
            "The changes don't fit into the parent \(parent). \(error.message)",
            hint: "Save \(parent) or roll back its pending changes, then save again."
        )
    }
}
