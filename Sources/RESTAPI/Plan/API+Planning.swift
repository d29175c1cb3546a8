// SPDX-License-Identifier: Apache-2.0

// From a parsed request to a plan, by the model alone.

import HTTPMessage
import ObjectGraph

extension API {
    /// Reads and plans within limits: a body may take long.
    func plan(_ request: APIRequest, under limits: WorkLimits) throws(Problem) -> Plan {
        do {
            return try limits.hold { try plan(request) }
        } catch let problem as Problem {
            throw problem
        } catch {
            throw .failed(error)
        }
    }

    func plan(_ request: APIRequest) throws(Problem) -> Plan {
        let method: HTTPMethod = request.method == .head ? .get : request.method
        switch (request.route, method) {
        case (.collection(let resource), .get): return .fetch(try FetchPlan(request, of: resource, in: self))
        case (.object(let resource, let key), .get): return .object(try ObjectPlan(request, resource, key, in: self))
        case (.property(let resource, let key, let property), _) where property.attribute != nil:
            return .bytes(try BytesPlan(request, resource, key, property))
        case (.batch(let resource, let kind), _): return .batch(try BatchPlan(request, kind, of: resource, in: self))
        case (.health, _): return .server(try ServerPlan(.health, request))
        case (.readiness, _): return .server(try ServerPlan(.readiness, request))
        case (.metrics, _): return .server(try ServerPlan(.metrics, request))
        case (.index, _): return .server(try ServerPlan(.index, request))
        case (.model, _): return .server(try ServerPlan(.model, request))
        case (.statistics, _): return .server(try ServerPlan(.statistics, request))
        case (.fetch(let resource), .post): return .fetch(try FetchPlan(body: request, of: resource, in: self))
        case (.queries, .get):
            try request.parameters.refuseOthers(knowing: [])
            return .queries
        case (.query(let name), .get): return .fetch(try FetchPlan(request, template: name, in: self))
        case (.property(let resource, let key, let property), .get):
            if let plan = try Plan.traversal(request, resource, key, property, in: self) { return plan }
            throw Problem(.notImplemented, "This isn't served yet.")
        case (.openAPI, _), (.schema, _), (.problem, _):
            if let plan = try DescriptionPlan(request) { return .description(plan) }
            throw Problem(.notImplemented, "This isn't served yet.")
        case (.contexts, _), (.context, _), (.contextAction, _): return .context(try ContextPlan(request, in: self))
        case (.unbuilt(let name), _): throw Problem(.notImplemented, "“\(name)” isn't served yet.")
        default:
            if let plan = try writePlan(request) { return .write(plan) }
            throw Problem(.notImplemented, "This isn't served yet.")
        }
    }
}
