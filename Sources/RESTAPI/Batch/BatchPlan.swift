// SPDX-License-Identifier: Apache-2.0

// Plans changes of many objects, in the stores or a draft.

import JSON
import ObjectGraph
import Predicates

struct BatchPlan: Equatable {
    enum Change: Equatable {
        case insert(BatchRows)
        /// The new values by property names of the model.
        case update([String: ObjectExpression])
        case delete
    }

    enum Target: Equatable {
        case all
        case matching(ObjectPredicate)
        case objects([ManagedObjectID])
    }

    var resource: Resource
    var change: Change
    /// The objects that are changed.
    var target = Target.all
    var result: BatchResultType
    var maximum: Int?
    /// Whether to refuse the batch if access rules leave out some of the objects.
    var isStrict = false
    /// Whether to answer with the result without keeping it.
    var isDryRun = false
    /// The author recorded in history.
    var author: String?

    /// What problems name if they concern no single object.
    var subject: BodyPosition {
        switch change {
        case .insert: BodyPosition(object: "rows")
        case .update: BodyPosition(object: "set", pointer: "/set")
        case .delete: BodyPosition(object: resource.path)
        }
    }
}

/// New rows, which are read from the body.
struct BatchRows: Equatable {
    var body: IncomingBody
    var layout: JSONStreamReader.Layout
    var policy: MergePolicy.Kind
    var chunkSize: Int?
    /// Whether objects keep the numbers in the rows' `_id`.
    var keepsIDs = false
}

extension BatchPlan {
    private static let keys = ["where", "args", "vars", "ids", "all", "set", "result", "max", "dryRun", "strict"]

    /// `POST /api/{E}/batch-delete`
    init(deleting request: APIRequest, of resource: Resource, in api: API) throws(Problem) {
        let body = try BatchBody(request, of: resource, in: api, knowing: Self.keys.filter { $0 != "set" })
        try self.init(.delete, body: body, of: resource, author: request.author)
    }

    /// `POST /api/{E}/batch-update`
    init(updating request: APIRequest, of resource: Resource, in api: API) throws(Problem) {
        let body = try BatchBody(request, of: resource, in: api, knowing: Self.keys.filter { $0 != "ids" })
        try self.init(.update([:]), body: body, of: resource, author: request.author)
        guard let set = body["set"]?.object, !set.isEmpty else {
            throw .batch(
                .type,
                "“set” must be an object with at least one property and its new value.",
                of: resource,
                at: "set"
            )
        }
        var assignments = AssignmentReader(resource: resource, api: api)
        change = .update(try assignments.read(set))
    }

    private init(_ change: Change, body: BatchBody, of resource: Resource, author: String?) throws(Problem) {
        self.resource = resource
        self.change = change
        self.author = author
        result = try body.result()
        maximum = try body.maximum()
        isDryRun = try body.isDryRun()
        isStrict = try body.isStrict()
        target = try body.target()
    }
}
