// SPDX-License-Identifier: Apache-2.0

// `Prefer: explain` for administrators that act as somebody else: adds the rules to what refuses a request.

import AccessRules
import HTTPMessage
import Identities
import JSON
import ObjectGraph

extension HTTPRequest {
    /// Whether `Prefer: explain` asks which rules decide.
    var prefersExplanation: Bool { Preference.all(in: fields).contains { $0.name == "explain" } }
}

extension API {
    /// The problem with the rules that decided: those by which the path's object can't be read, or those for its change
    /// if the refusal doesn't have them already.
    ///
    /// - Parameter base: The server's own API, which has all names.
    func explained(_ problem: Problem, of request: HTTPRequest, by base: API) -> Problem {
        guard let access, let target = try? RequestTarget(request.target) else { return problem }
        var names = Array(target.segments.dropFirst())
        // The rest is the path in the draft.
        if names.first == "contexts" { names = Array(names.dropFirst(2)) }
        guard let resource = names.first.flatMap(base.catalogue.resource(named:)) else { return problem }
        let objectID = names.count > 1 ? base.names.objectID(of: resource, key: names[1]) : nil
        let name = objectID.map(base.catalogue.reference)
        var problem = problem
        if problem.code == .notFound {
            if !access.knows(resource.entity) {
                problem.explain(by: [access.explanation(of: .read, on: resource.entity)])
            } else if let entity = try? objectID.flatMap(hiddenEntity) {
                problem.explain(by: [access.explanation(of: .read, on: entity, object: name)])
            }
        } else if problem.code == .forbidden, problem != .administration {
            let verb = Self.verb(of: request.method, isOfObject: names.count == 2, isOfEntity: names.count == 1)
            problem.explain(by: [access.explanation(of: verb, on: resource.entity, object: name)])
        }
        return problem
    }

    /// What a request does with the object or the entity of its path.
    private static func verb(of method: HTTPMethod, isOfObject: Bool, isOfEntity: Bool) -> AccessVerb {
        switch method {
        case .delete where isOfObject: .delete
        case .post where isOfEntity: .create
        default: .update
        }
    }

    /// The entity of a stored object that the identity can't read; nil for others.
    private func hiddenEntity(of objectID: ManagedObjectID) throws -> EntityDescription? {
        try coordinator.read { reader in
            guard let row = try reader.snapshots(of: [objectID])[0] else { return nil }
            return try narrowed(reader).snapshots(of: [row.objectID])[0] == nil ? row.objectID.entity : nil
        }
    }
}
