// SPDX-License-Identifier: Apache-2.0

// Batches, handed to the engine, and what came of them.

import HTTPMessage
import JSON
import ObjectGraph

extension API {
    /// - Parameter keeping: Where the answer is kept with what is saved.
    func execute(_ plan: BatchPlan, _ keeping: AnswerKeeping? = nil) throws -> Reply {
        do {
            return switch plan {
            case .insert(let plan): try insert(plan, keeping)
            case .update(let plan): try update(plan, keeping)
            case .delete(let plan): try delete(plan, keeping)
            }
        } catch let error as GraphError {
            throw problem(error, of: plan.subject)
        }
    }

    /// An error of a batch: what it was given is named in it, so that nothing is just not there.
    ///
    /// - Parameter subject: What is wrong where no single object is.
    private func problem(_ error: GraphError, of subject: String) -> Problem {
        if let problem = error.underlying as? Problem { return problem }
        var problem = Problem(error, in: catalogue)
        let isDenied = !error.failures.isEmpty && error.failures.allSatisfy { $0.code == .relationshipDeniedDelete }
        let code: ProblemCode? =
            isDenied ? .deleteDenied : problem.code == .notFound || problem.code == .parameter ? .validation : nil
        if let code { (problem.code, problem.status) = (code, code.status) }
        if problem.code == .validation, problem.errors.isEmpty {
            let code: Findings.Code =
                switch error.code {
                case .objectMissing, .acrossStores, .unknownStore: .reference
                case .notWritable: .readOnly
                default: .type
                }
            problem.errors = [
                Problem.Detail(
                    object: error.row == nil ? error.objectID.map(catalogue.reference) : nil,
                    property: error.property.map { ResourceProperty.name(of: $0) },
                    code: code.rawValue,
                    message: error.message
                )
            ]
        }
        for (index, failure) in zip(problem.errors.indices, error.failures) where !failure.objectsInTheWay.isEmpty {
            let names = failure.objectsInTheWay.map { JSONValue.string(catalogue.reference(to: $0)) }
            problem.errors[index].extras["objects"] = .array(names)
        }
        for index in problem.errors.indices where problem.errors[index].object == nil {
            problem.errors[index].object = error.row.map { "row \($0)" } ?? subject
        }
        return problem
    }

    private func insert(_ plan: BatchInsertPlan, _ keeping: AnswerKeeping?) throws -> Reply {
        let rows = try RowReader(plan, in: self)
        var request = BatchInsertRequest(plan.resource.entity.name, nextRow: rows.next)
        (request.chunkSize, request.resultType, request.maximum) = (plan.chunkSize, plan.result, plan.maximum)
        do {
            return reply(
                try coordinator.execute(
                    request,
                    mergePolicy: MergePolicy(plan.policy),
                    of: SaveOrigin(author: plan.author),
                    noting: note(plan.result, keeping)
                ),
                plan.result
            )
        } catch {
            throw problem(error, rows.lines)
        }
    }

    /// Which row failed, where it stands, and what is in the store all the same.
    private func problem(_ error: GraphError, _ lines: LineIndex) -> Problem {
        var problem = error.underlying as? Problem ?? problem(error, of: "rows")
        if let row = error.row {
            problem.extras["row"] = .integer(row)
            if problem.extras["line"] == nil, let line = lines[row] { problem.extras["line"] = .integer(line) }
        }
        problem.extras["inserted"] = .integer(error.inserted ?? 0)
        return problem
    }

    private func update(_ plan: BatchUpdatePlan, _ keeping: AnswerKeeping?) throws -> Reply {
        var request = BatchUpdateRequest(plan.resource.entity.name, predicate: plan.predicate)
        request.propertiesToUpdate = plan.values
        (request.resultType, request.maximum) = (plan.result, plan.maximum)
        let origin = SaveOrigin(author: plan.author)
        return reply(try coordinator.execute(request, of: origin, noting: note(plan.result, keeping)), plan.result)
    }

    private func delete(_ plan: BatchDeletePlan, _ keeping: AnswerKeeping?) throws -> Reply {
        var request: BatchDeleteRequest
        switch plan.target {
        case .all: request = BatchDeleteRequest(FetchRequest<ManagedObject>(plan.resource.entity.name))
        case .matching(let predicate):
            request = BatchDeleteRequest(FetchRequest<ManagedObject>(plan.resource.entity.name, predicate: predicate))
        case .objects(let objectIDs):
            request = BatchDeleteRequest(objectIDs: try objects(objectIDs, of: plan.resource.entity))
        }
        (request.resultType, request.maximum) = (plan.result, plan.maximum)
        let origin = SaveOrigin(author: plan.author)
        return reply(try coordinator.execute(request, of: origin, noting: note(plan.result, keeping)), plan.result)
    }

    /// Some objects under their own entities. Who names one that isn't there, or is of another entity, is told.
    private func objects(
        _ objectIDs: [ManagedObjectID],
        of entity: EntityDescription
    ) throws -> [ManagedObjectID] {
        let rows = try coordinator.read { reader in try reader.snapshots(of: objectIDs) }
        var findings = Findings()
        var objects: [ManagedObjectID] = []
        for (offset, row) in rows.enumerated() {
            if let row, row.objectID.entity.isKind(of: entity) {
                objects.append(row.objectID)
            } else {
                let name = catalogue.reference(to: objectIDs[offset])
                let place = BodyPlace(object: name, pointer: "/ids/\(offset)")
                findings.add(.reference, "There is no \(entity.name) “\(name.shortened)”.", at: place)
            }
        }
        try findings.check()
        return objects
    }

    private func note(_ type: BatchResultType, _ keeping: AnswerKeeping?) -> PendingNote<BatchResult>? {
        keeping?.note { [self] result in reply(result, type) }
    }

    private func reply(_ result: BatchResult, _ type: BatchResultType) -> Reply {
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
