// SPDX-License-Identifier: Apache-2.0

// What a request's parameters ask for.

import ObjectGraph

extension FetchPlan {
    init(_ request: APIRequest, of resource: Resource, in api: API) throws(Problem) {
        var parameters = request.parameters
        self.resource = resource
        limit = try parameters.takeNumber("limit") ?? api.options.pageSize
        guard limit <= api.options.maximumPageSize else {
            throw Problem(.parameter, "The limit is \(api.options.maximumPageSize) at most, not \(limit).")
        }
        offset = try parameters.takeNumber("offset") ?? 0
        try parameters.refuseOthers(knowing: ["limit", "offset"])
    }

    /// What the stores are asked.
    var request: FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(resource.entity.name, predicate: predicate)
        request.sortDescriptors = sortDescriptors
        request.fetchLimit = limit
        request.fetchOffset = offset
        request.includesSubentities = includesSubentities
        request.includesPendingChanges = includesPendingChanges
        return request
    }
}

extension ObjectPlan {
    init(_ request: APIRequest, _ resource: Resource, _ key: String, in api: API) throws(Problem) {
        let parameters = request.parameters
        target = ObjectTarget(resource: resource, key: key)
        selection = .all
        conditions = try Conditions(request.fields)
        try parameters.refuseOthers(knowing: [])
    }
}
