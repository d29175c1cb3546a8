// SPDX-License-Identifier: Apache-2.0

// What may be done where.

import HTTPMessage
import ObjectGraph

extension Route {
    var methods: [HTTPMethod] {
        switch self {
        case .health, .readiness, .metrics, .openAPI, .schema, .problem, .index, .model, .statistics, .queries, .query:
            [.get, .head, .options]
        case .collection: [.get, .head, .post, .options]
        case .fetch, .batch, .transaction: [.post, .options]
        case .object: [.get, .head, .patch, .put, .delete, .options]
        case .property(_, _, let property): Self.methods(of: property)
        case .member: [.put, .delete, .options]
        case .contexts: [.get, .head, .post, .options]
        case .context: [.get, .head, .delete, .options]
        case .contextAction(_, .changes), .contextAction(_, .events), .contextAction(_, .document):
            [.get, .head, .options]
        case .contextAction: [.post, .options]
        case .inContext, .unbuilt: [.get, .head, .post, .put, .patch, .delete, .options]
        }
    }

    /// Whether it reads by the method that others write with.
    var isFetch: Bool {
        if case .fetch = self { true } else { false }
    }

    private static func methods(of property: ResourceProperty) -> [HTTPMethod] {
        switch property.property {
        case .attribute: [.get, .head, .put, .delete, .options]
        case .relationship(let relationship) where relationship.isToMany: [.get, .head, .put, .post, .options]
        case .relationship: [.get, .head, .put, .options]
        case .fetched: [.get, .head, .options]
        }
    }
}
