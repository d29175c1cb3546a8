// SPDX-License-Identifier: Apache-2.0

// Plans a parsed request. Only the model is needed, except to find the entity of an object that is named by a URI.

import ObjectGraph

extension API {
    /// Reads and plans a request as its endpoint declares, within limits, since reading a body may take long.
    func plan(_ request: APIRequest, under limits: WorkLimits = WorkLimits()) throws(Problem) -> Plan {
        do {
            return try limits.hold {
                if let plan = try fetchPlans?.plan(of: request) { return .fetch(plan) }
                try request.endpoint.checkParameters(of: request, in: self)
                let plan = try request.endpoint.plan(request, self)
                if case .fetch(let plan) = plan { fetchPlans?.record(plan, of: request) }
                return plan
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            throw .failed(error)
        }
    }
}
