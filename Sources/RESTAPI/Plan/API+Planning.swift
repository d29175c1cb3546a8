// SPDX-License-Identifier: Apache-2.0

// From a parsed request to a plan, by the model alone.

import HTTPMessage

extension API {
    func plan(_ request: APIRequest) throws(Problem) -> Plan {
        let method: HTTPMethod = request.method == .head ? .get : request.method
        switch (request.route, method) {
        case (.collection(let resource), .get): return .fetch(try FetchPlan(request, of: resource, in: self))
        case (.object(let resource, let key), .get): return .object(try ObjectPlan(request, resource, key, in: self))
        case (.unbuilt(let name), _): throw Problem(.notImplemented, "\(name) aren't served yet.")
        default: throw Problem(.notImplemented, "This isn't served yet.")
        }
    }
}
