// SPDX-License-Identifier: Apache-2.0

// The OpenAPI 3.1 document of an API: all requests and responses.

import Basics
import HTTPMessage
package import JSON
import ObjectGraph
import ObjectModel
import Synchronization

extension API {
    /// The OpenAPI 3.1 document, which depends only on the model and options. Within an editing context it describes
    /// the paths below it.
    package var openAPIDocument: JSONValue {
        let description = ModelDescription(self)
        let isOfContext = description.isOfContext
        let areas = (isOfContext ? APIEndpoint.areasInContexts : APIEndpoint.areas).map { tag, endpoints in
            (tag: tag, endpoints: endpoints.filter(describes))
        }.filter { !$0.endpoints.isEmpty }
        let paths = PathWriter(description, areas: areas)
        return [
            "openapi": "3.1.0",
            "info": [
                "title": .string(options.title), "version": .string(options.version),
                "description": .string(Self.introduction),
            ],
            "servers": [isOfContext ? Self.contextServer(catalogue.contextName) : ["url": "/"]],
            "tags": .array(
                description.catalogue.resources.map { ["name": .string($0.entity.name)] }
                    + areas.compactMap(\.tag).map { ["name": .string($0)] }
            ),
            "paths": .object(paths.paths),
            "components": Self.components(
                [
                    ("schemas", JSONObject(description.schemas)), ("parameters", description.sharedParameters),
                    ("headers", JSONValue.sharedHeaders), ("responses", paths.responses.all),
                ],
                of: paths.paths
            ),
        ]
    }

    /// The components that paths refer to, directly or through others.
    private static func components(_ all: [(kind: String, parts: JSONObject)], of paths: JSONObject) -> JSONValue {
        let components = JSONValue.object(JSONObject(all.map { ($0.kind, .object($0.parts)) }))
        let needed = JSONValue.object(["components": components]).references(from: [.object(paths)])
        return .object(
            JSONObject(
                all.map { kind, parts in
                    let kept = parts.members.filter { needed.contains("#/components/\(kind)/\($0.name)") }
                    return (kind, .object(JSONObject(kept.map { ($0.name, $0.value) })))
                }
            )
        )
    }

    /// Whether the document has an endpoint.
    private func describes(_ endpoint: APIEndpoint) -> Bool {
        if missing(endpoint.contract.presence) != nil { return false }
        if endpoint.isOfHooks, hooks == nil { return false }
        let isTransaction = endpoint.contract.admission == .byRules && !endpoint.pattern.segments.contains("{entity}")
        if isTransaction, endpoint.effect == .stores, !permitsChanges { return false }
        return access == nil || endpoint.contract.admission != .administration
    }

    /// A server with a variable, so that one generated client can access all contexts.
    private static func contextServer(_ name: String) -> JSONValue {
        [
            "url": "/api/contexts/{context}",
            "variables": ["context": ["default": .string(name), "description": "The editing context's name."]],
        ]
    }

    /// The document's bytes, which are made once.
    private var storedDocument: StoredDocument {
        described.withLock { known in
            if let known { return known }
            let document = StoredDocument(openAPIDocument)
            known = document
            return document
        }
    }

    /// The document, or 304 if the client has it.
    func documentReply(known: EntityTagCondition?) -> Reply {
        let document = storedDocument
        if known?.matchesWeakly(document.tag) == true { return .unchanged(document.tag) }
        var reply = Reply(.bytes(document.bytes, type: "application/json"))
        reply.fields[.etag] = document.tag.description
        return reply
    }

    private static let introduction = """
        Objects of a Core Data model. `HEAD` works wherever `GET` does, and `OPTIONS` everywhere. Lengths of strings are counted in \
        UTF-16 units. What JSON Schema can't express, such as whether a predicate is valid or a referenced object exists, is \
        checked by the server: 400 or 422 with a problem document, whose `code` has a page at `/problems/{code}`. Wherever objects are \
        fetched, the name of a property is an equality condition; `GET` of an entity describes them. `pretty` lays JSON out for people. \
        Related objects are references, or objects with `include`; those of to-many relationships come only with `select` or `include`. \
        Each response has `X-Request-Id`, which identifies the request in logs, and 429 and 503 have `Retry-After` in seconds. \
        `Idempotency-Replayed: true` marks the first answer to an `Idempotency-Key`, sent again.
        """
}

/// A document that never changes, ready to send.
struct StoredDocument: Sendable {
    let bytes: [UInt8]
    let tag: EntityTag

    init(_ json: JSONValue) {
        bytes = json.serializedBytes()
        tag = EntityTag(String(bytes.fnv1a, radix: 36))
    }
}
