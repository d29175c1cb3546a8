// SPDX-License-Identifier: Apache-2.0

// Changes of many objects directly in the stores.

import JSON
import ObjectGraph
import Predicates
import SourceText

enum BatchPlan: Equatable {
    case insert(BatchInsertPlan)
    case update(BatchUpdatePlan)
    case delete(BatchDeletePlan)

    init(_ request: APIRequest, _ kind: Route.BatchKind, of resource: Resource, in api: API) throws(Problem) {
        self =
            switch kind {
            case .insert: .insert(try BatchInsertPlan(request, of: resource, in: api))
            case .update: .update(try BatchUpdatePlan(request, of: resource, in: api))
            case .delete: .delete(try BatchDeletePlan(request, of: resource, in: api))
            }
    }

    var isDryRun: Bool {
        switch self {
        case .insert(let plan): plan.isDryRun
        case .update(let plan): plan.isDryRun
        case .delete(let plan): plan.isDryRun
        }
    }

    /// The part of the body that is wrong if no single object is.
    var subject: BodyPlace {
        switch self {
        case .insert: BodyPlace(object: "rows")
        case .update: BodyPlace(object: "set", pointer: "/set")
        case .delete(let plan): BodyPlace(object: plan.resource.path)
        }
    }
}

/// New rows, which are read from the body.
struct BatchInsertPlan: Equatable {
    var resource: Resource
    var body: IncomingBody
    var layout: JSONStreamReader.Layout
    var policy: MergePolicy.Kind
    var chunkSize: Int?
    var result: BatchResultType
    var maximum: Int?
    /// Whether objects keep the numbers in the rows' `_id`.
    var keepsIDs = false
    /// Whether to answer with the result without keeping it.
    var isDryRun = false
    /// The author recorded in history.
    var author: String?
}

struct BatchUpdatePlan: Equatable {
    var resource: Resource
    /// Nil for all objects.
    var predicate: ObjectPredicate?
    /// The new values by property names of the model.
    var values: [String: ObjectExpression]
    var result: BatchResultType
    var maximum: Int?
    /// Whether to answer with the result without keeping it.
    var isDryRun = false
    /// The author recorded in history.
    var author: String?
}

struct BatchDeletePlan: Equatable {
    enum Target: Equatable {
        case all
        case matching(ObjectPredicate)
        case objects([ManagedObjectID])
    }

    var resource: Resource
    var target: Target
    var result: BatchResultType
    var maximum: Int?
    /// Whether to answer with the result without keeping it.
    var isDryRun = false
    /// The author recorded in history.
    var author: String?
}
