// SPDX-License-Identifier: Apache-2.0

// Batches, handed to the engine, and what came of them.

import HTTPMessage
import JSON
import ObjectGraph

extension API {
    func execute(_ plan: BatchPlan) throws -> Reply {
        do {
            return switch plan {
            case .insert(let plan): try insert(plan)
            case .update(let plan): try update(plan)
            case .delete(let plan): try delete(plan)
            }
        } catch let error as GraphError {
            throw problem(error)
        }
    }

    /// An error of a batch: what it was given is named in it, so that nothing is just not there.
    private func problem(_ error: GraphError) -> Problem {
        var problem = Problem(error, in: catalogue)
        let isDenied = !error.failures.isEmpty && error.failures.allSatisfy { $0.code == .relationshipDeniedDelete }
        let code: ProblemCode? =
            isDenied ? .deleteDenied : problem.code == .notFound || problem.code == .parameter ? .validation : nil
        if let code { (problem.code, problem.status) = (code, code.status) }
        return problem
    }

    private func insert(_ plan: BatchInsertPlan) throws -> Reply {
        let rows = try RowReader(plan, in: self)
        var request = BatchInsertRequest(plan.resource.entity.name, nextRow: rows.next)
        (request.chunkSize, request.resultType, request.maximum) = (plan.chunkSize, plan.result, plan.maximum)
        do {
            return reply(try coordinator.execute(request, mergePolicy: MergePolicy(plan.policy)), plan.result)
        } catch {
            throw problem(error, rows.lines)
        }
    }

    /// Which row failed, where it stands, and what is in the store all the same.
    private func problem(_ error: GraphError, _ lines: LineIndex) -> Problem {
        var problem = error.underlying as? Problem ?? problem(error)
        if let row = error.row {
            problem.extras["row"] = .integer(row)
            if problem.extras["line"] == nil, let line = lines[row] { problem.extras["line"] = .integer(line) }
        }
        problem.extras["inserted"] = .integer(error.inserted ?? 0)
        return problem
    }

    private func update(_ plan: BatchUpdatePlan) throws -> Reply {
        var request = BatchUpdateRequest(plan.resource.entity.name, predicate: plan.predicate)
        request.propertiesToUpdate = plan.values
        (request.resultType, request.maximum) = (plan.result, plan.maximum)
        return reply(try coordinator.execute(request), plan.result)
    }

    private func delete(_ plan: BatchDeletePlan) throws -> Reply {
        var request: BatchDeleteRequest
        switch plan.target {
        case .all: request = BatchDeleteRequest(FetchRequest<ManagedObject>(plan.resource.entity.name))
        case .matching(let predicate):
            request = BatchDeleteRequest(FetchRequest<ManagedObject>(plan.resource.entity.name, predicate: predicate))
        case .objects(let objectIDs):
            request = BatchDeleteRequest(objectIDs: try objects(objectIDs, of: plan.resource.entity))
        }
        (request.resultType, request.maximum) = (plan.result, plan.maximum)
        return reply(try coordinator.execute(request), plan.result)
    }

    /// Those of some objects that are of an entity, as their rows say where a name might be of another entity's object.
    private func objects(
        _ objectIDs: [ManagedObjectID],
        of entity: EntityDescription
    ) throws -> [ManagedObjectID] {
        guard catalogue.model.entities.contains(where: { $0.rootIndex == entity.rootIndex && $0 != entity }) else {
            return objectIDs
        }
        let rows = try coordinator.read { reader in try reader.snapshots(of: objectIDs) }
        return rows.compactMap { $0?.objectID }.filter { $0.entity.isKind(of: entity) }
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
