// SPDX-License-Identifier: Apache-2.0

// Plans a batch deletion.

import ObjectGraph

extension BatchDeletePlan {
    private static let keys = ["where", "args", "vars", "ids", "all", "result", "max", "dryRun"]

    init(_ request: APIRequest, of resource: Resource, in api: API) throws(Problem) {
        let body = try BatchBody(request, of: resource, in: api, knowing: Self.keys)
        self.resource = resource
        author = request.author
        result = try body.result()
        maximum = try body.maximum()
        isDryRun = try body.isDryRun()
        target =
            switch try body.selection() {
            case .all: .all
            case .matching(let predicate): .matching(predicate)
            case .objects(let objectIDs): .objects(objectIDs)
            }
    }
}
