// SPDX-License-Identifier: Apache-2.0

// Executes batches in the stores or in an editing context, and answers with the results.

import HTTPMessage
import JSON
import ObjectGraph
import Predicates

/// Where a batch is executed.
enum BatchPlace {
    /// In the stores, in one step, together with the answer if it is stored.
    case stores(AnswerRecorder?)
    /// As changes of an editing context.
    case draft(ManagedObjectContext)
}

extension API {
    func execute(_ plan: BatchPlan, in place: BatchPlace) throws -> Reply {
        let limit = options.answeredIDLimit
        guard plan.result == .objectIDs, plan.maximum ?? .max > limit else { return try change(plan, in: place) }
        var plan = plan
        plan.maximum = limit
        do {
            return try change(plan, in: place)
        } catch var problem as Problem where problem.code == .maxAffected {
            problem.code = .tooLarge
            problem.status = problem.code.status
            problem.detail = "The batch would affect more than \(limit) objects, the most whose IDs fit in an answer."
            problem.hint = "Request “count” as the result."
            problem.extras["limit"] = "answerLimit"
            throw problem
        }
    }

    private func change(_ plan: BatchPlan, in place: BatchPlace) throws -> Reply {
        do {
            return switch plan.change {
            case .insert(let rows): try insert(rows, plan, in: place)
            case .update(let values): try update(values, for: plan, in: place)
            case .delete: try delete(plan, in: place)
            }
        } catch let error as GraphError {
            throw problem(omittingUnreadable(of: error), of: plan.subject, in: plan.resource.entity)
        }
    }

    /// The problem for an error of a batch. Errors about the body's content become validation errors, not “not found”.
    ///
    /// - Parameter subject: The part of the body that is wrong if no single object is.
    private func problem(_ error: GraphError, of subject: BodyPosition, in entity: EntityDescription) -> Problem {
        if let problem = error.underlying as? Problem { return problem }
        var problem = Problem(error, in: catalogue)
        let isDenied = !error.failures.isEmpty && error.failures.allSatisfy { $0.code == .relationshipDeniedDelete }
        let code: ProblemCode? =
            isDenied ? .deleteDenied : problem.code == .notFound || problem.code == .parameter ? .validation : nil
        if let code {
            problem.code = code
            problem.status = code.status
        }
        if error.code == .tooMuchRead {
            problem.hint = "Use several batches, with conditions that match fewer objects."
        }
        if problem.code == .validation, problem.errors.isEmpty {
            let code: Findings.Code =
                switch error.code {
                case .objectMissing, .acrossStores, .unknownStore: .reference
                case .notWritable: .readOnly
                default: .type
                }
            // A missing object is the destination of a reference, not an object with a wrong property.
            let isDestination = error.code == .objectMissing && error.property != nil
            problem.errors = [
                Problem.Detail(
                    object: error.row != nil || isDestination ? nil : error.objectID.map(catalogue.reference),
                    property: error.property.flatMap { catalogue.name(ofPath: $0, of: entity) },
                    code: code.rawValue,
                    message: problem.detail
                )
            ]
        }
        for (index, failure) in zip(problem.errors.indices, error.failures) where !failure.blockingObjects.isEmpty {
            let names = failure.blockingObjects.map { JSONValue.string(catalogue.reference(to: $0)) }
            problem.errors[index].extras["objects"] = .array(names)
        }
        for index in problem.errors.indices where problem.errors[index].object == nil {
            problem.errors[index].object = error.row.map { "row \($0)" } ?? subject.object
            guard !subject.pointer.isEmpty, let property = problem.errors[index].property else { continue }
            let place = property.split(separator: ".").reduce(subject) { $0.part(String($1)) }
            problem.errors[index].extras["pointer"] = .string(place.pointer)
        }
        return problem
    }

    private func insert(_ rows: BatchRows, _ plan: BatchPlan, in place: BatchPlace) throws -> Reply {
        let reader = try BatchBodyReader(rows, of: plan.resource, in: self)
        let access = try InsertionAccess(plan, merging: rows.policy, in: self)
        var request = BatchInsertRequest(rowsOf: plan.resource.entity.name) {
            try reader.next().map { row in
                try self.accounts?.check(row, of: plan.resource.entity)
                return try access?.permitted(row) ?? row
            }
        }
        request.chunkSize = rows.chunkSize
        request.resultType = plan.result
        request.maximum = plan.maximum
        request.isRehearsal = plan.isDryRun
        request.keepsReferences = rows.keepsIDs
        let result: BatchResult
        do throws(GraphError) {
            switch place {
            case .stores(let recorder):
                result = try coordinator.execute(
                    request,
                    mergePolicy: MergePolicy(rows.policy),
                    of: SaveOrigin(author: author(plan.author)),
                    noting: note(plan.result, recorder: recorder)
                )
            case .draft(let context): result = try context.draft(request)
            }
        } catch {
            throw problem(error, of: plan.resource.entity, in: reader.lines)
        }
        return plan.isDryRun ? try dryRunReply(result, for: plan, in: place) : reply(result, as: plan.result)
    }

    /// Adds the failed row, its line, and the number of rows that are stored nevertheless.
    private func problem(_ error: GraphError, of entity: EntityDescription, in lines: LineIndex) -> Problem {
        var problem =
            error.underlying as? Problem
            ?? problem(
                omittingUnsavedHolders(of: omittingUnreadable(of: error)),
                of: BodyPosition(object: "rows"),
                in: entity
            )
        if let row = error.row {
            problem.extras["row"] = .integer(row)
            if problem.extras["line"] == nil, let line = lines[row] { problem.extras["line"] = .integer(line) }
        }
        problem.extras["inserted"] = .integer(error.inserted ?? 0)
        return problem
    }

    /// Omits holders of unique values that are rows of this batch: they aren't stored, so their IDs are meaningless.
    private func omittingUnsavedHolders(of error: GraphError) -> GraphError {
        var error = error
        error.constraintConflicts = error.constraintConflicts.map { violation in
            let stored = violation.stored.flatMap { isStored($0.objectID) ? $0 : nil }
            let objects = Array(violation.objects.prefix(1))
            return ConstraintViolation(constraint: violation.constraint, objects: objects, stored: stored)
        }
        return error
    }

    private func isStored(_ objectID: ManagedObjectID) -> Bool {
        let found = try? coordinator.withContext { try $0.snapshots(of: [objectID]) }
        return found?.first.flatMap(\.self) != nil
    }

    private func update(
        _ values: [String: ObjectExpression],
        for plan: BatchPlan,
        in place: BatchPlace
    ) throws -> Reply {
        var request = BatchUpdateRequest(plan.resource.entity.name)
        if let access = BatchAccess(plan, in: self) {
            request.predicate = try access.condition(updating: values, matching: condition(for: plan))
            request.propertiesToUpdate = try access.narrowed(values)
        } else {
            request.predicate = condition(for: plan)
            request.propertiesToUpdate = values
        }
        if let accounts {
            request.propertiesToUpdate = try accounts.checked(request.propertiesToUpdate, of: plan.resource.entity)
        }
        request.resultType = plan.result
        request.maximum = plan.maximum
        request.isRehearsal = plan.isDryRun
        let result: BatchResult
        switch place {
        case .stores(let recorder):
            let origin = SaveOrigin(author: author(plan.author))
            result = try coordinator.execute(request, of: origin, noting: note(plan.result, recorder: recorder))
        case .draft(let context): result = try context.draft(request)
        }
        return reply(result, as: plan.result)
    }

    private func delete(_ plan: BatchPlan, in place: BatchPlace) throws -> Reply {
        var selection: ObjectPredicate?
        var objectIDs: [ManagedObjectID] = []
        if case .objects(let named) = plan.target {
            objectIDs = try objects(named, of: plan.resource.entity, in: place)
            selection = .comparing(.evaluatedObject, .in, .constant(.array(objectIDs.map(\.value))))
        } else {
            selection = condition(for: plan)
        }
        var request: BatchDeleteRequest
        var shownCount: Int?
        if let access = BatchAccess(plan, in: self) {
            let permitted = try access.condition(deleting: selection)
            // What is deleted along may not be known to the identity.
            shownCount = try access.count([permitted])
            request = BatchDeleteRequest(FetchRequest<ManagedObject>(plan.resource.entity.name, predicate: permitted))
        } else if case .objects = plan.target {
            request = BatchDeleteRequest(objectIDs: objectIDs)
        } else {
            request = BatchDeleteRequest(FetchRequest<ManagedObject>(plan.resource.entity.name, predicate: selection))
        }
        request.resultType = plan.result
        request.maximum = plan.maximum
        request.isRehearsal = plan.isDryRun
        let result: BatchResult
        switch place {
        case .stores(let recorder):
            let origin = SaveOrigin(author: author(plan.author))
            let note = recorder?.note { [self, shownCount] (result: BatchResult) in
                reply(result, as: plan.result, of: plan.resource, counting: shownCount)
            }
            result = try coordinator.execute(request, of: origin, noting: note)
        case .draft(let context): result = try context.draft(request)
        }
        return reply(result, as: plan.result, of: plan.resource, counting: shownCount)
    }

    /// The condition for the objects of a batch, or nil for all.
    private func condition(for plan: BatchPlan) -> ObjectPredicate? {
        var conditions = [catalogue.visibility(of: plan.resource)].compactMap(\.self)
        if case .matching(let predicate) = plan.target { conditions.append(predicate) }
        return conditions.isEmpty ? nil : .all(of: conditions)
    }

    /// The objects with their own entities. Throws if one doesn't exist or has another entity.
    private func objects(
        _ objectIDs: [ManagedObjectID],
        of entity: EntityDescription,
        in place: BatchPlace
    ) throws -> [ManagedObjectID] {
        let rows: [Snapshot?]
        switch place {
        case .stores: rows = try read { reader in try reader.snapshots(of: objectIDs) }
        case .draft(let context): rows = try narrowed(context).snapshots(of: objectIDs)
        }
        var findings = Findings()
        var objects: [ManagedObjectID] = []
        for (offset, row) in rows.enumerated() {
            if let row, row.objectID.entity.isKind(of: entity), catalogue.shows(row.objectID) {
                objects.append(row.objectID)
            } else {
                let name = catalogue.reference(to: objectIDs[offset])
                let place = BodyPosition(object: name, pointer: "/ids/\(offset)")
                findings.add(.reference, "There is no \(catalogue[entity].name) “\(name.shortened)”.", at: place)
            }
        }
        try findings.check()
        return objects
    }

    private func note(_ type: BatchResultType, recorder: AnswerRecorder?) -> PendingNote<BatchResult>? {
        recorder?.note { [self] result in reply(result, as: type) }
    }

    /// The reply to a dry run of an insertion: new objects get temporary names, as in other dry runs.
    private func dryRunReply(_ result: BatchResult, for plan: BatchPlan, in place: BatchPlace) throws -> Reply {
        guard plan.result == .objectIDs, case .stores = place else { return reply(result, as: plan.result) }
        let rows = try coordinator.read { reader in try reader.snapshots(of: result.objectIDs) }
        var count = 0
        let names = zip(result.objectIDs, rows).map { objectID, row -> JSONValue in
            if row != nil { return .string(catalogue.reference(to: objectID)) }
            count += 1
            return .string("\(plan.resource.path)/t\(count)")
        }
        return Reply(.json(["count": .integer(result.count), "ids": .array(names), "merged": 0]))
    }

    /// The reply to a deletion.
    ///
    /// - Parameter count: The number of deleted objects that the identity knows; nil if it knows all.
    private func reply(
        _ result: BatchResult,
        as type: BatchResultType,
        of resource: Resource,
        counting count: Int?
    ) -> Reply {
        guard let count else { return reply(result, as: type) }
        var shown = result
        shown.count = count
        shown.objectIDs.removeAll { !$0.entity.isKind(of: resource.entity) }
        return reply(shown, as: type)
    }

    private func reply(_ result: BatchResult, as type: BatchResultType) -> Reply {
        var members: [(String, JSONValue)] = []
        switch type {
        case .status: members.append(("status", true))
        case .count: members.append(("count", .integer(result.count)))
        case .objectIDs:
            members.append(("count", .integer(result.count)))
            members.append(("ids", .array(result.objectIDs.map { .string(catalogue.reference(to: $0)) })))
        }
        members.append(("merged", .integer(result.mergedContexts)))
        return Reply(.json(.object(JSONObject(members))))
    }
}
