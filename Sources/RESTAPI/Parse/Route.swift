// SPDX-License-Identifier: Apache-2.0

// Where a request goes.

/// What a path means, before the method is looked at.
enum Route: Equatable {
    /// `/healthz`, `/readyz`, `/metrics`, `/openapi.json`, `/schemas/{E}`, `/problems/{code}`
    case health
    case readiness
    case metrics
    case openAPI
    case schema(Resource)
    case problem(String?)
    /// `/api`, `/api/model`, `/api/stats`
    case index
    case model
    case statistics
    /// `/api/{E}` and what is beside its objects
    case collection(Resource)
    case fetch(Resource)
    case batch(Resource, BatchKind)
    /// `/api/{E}/{pk}` and what is below it. Keys are what a store calls the row, decoded.
    case object(Resource, key: String)
    case property(Resource, key: String, ResourceProperty)
    case member(Resource, key: String, ResourceProperty, target: String)
    case transaction
    case queries
    case query(String)
    /// `/api/contexts`, `/api/contexts/{c}`, what is done with one, and what is in one: a path below it.
    case contexts
    case context(String)
    case contextAction(String, ContextAction)
    case inContext(String, [String])
    /// Routes that are known and not there yet, by their name.
    case unbuilt(String)

    enum BatchKind: String, CaseIterable {
        case insert = "batch-insert"
        case update = "batch-update"
        case delete = "batch-delete"
    }

    /// What can be asked of an editing context as a whole. Each goes before an entity of the same path.
    enum ContextAction: String, CaseIterable {
        case changes
        case events
        case validate
        case save
        case undo
        case redo
        case rollback
        case reset
        case refresh
        case document = "openapi.json"
    }
}

extension Resource: Equatable {
    static func == (one: Resource, other: Resource) -> Bool { one === other }
}
