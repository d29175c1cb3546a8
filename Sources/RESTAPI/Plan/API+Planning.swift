// SPDX-License-Identifier: Apache-2.0

// From a parsed request to a plan, by the model alone.

import ObjectGraph

extension API {
    /// Reads and plans as the request's endpoint has it, within limits: a body may take long.
    func plan(_ request: APIRequest, under limits: WorkLimits = WorkLimits()) throws(Problem) -> Plan {
        do {
            return try limits.hold {
                try request.endpoint.checkParameters(of: request, in: self)
                return try request.endpoint.plan(request, self)
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            throw .failed(error)
        }
    }
}
