// SPDX-License-Identifier: Apache-2.0

// The result of a plan before rendering.

import HTTPMessage
import JSON
import ObjectGraph

struct Reply: Sendable {
    enum Content: Sendable {
        case none
        case object(ObjectDTO)
        case list(ListDTO)
        case written(WrittenDTO)
        case table(TableDTO)
        case json(JSONValue)
        /// Bytes with a media type.
        case bytes([UInt8], type: String)
        /// Events, sent as they occur.
        case feed(@Sendable (any HTTPFeed) -> Void)
        case stream(type: String, length: Int?, @Sendable (any HTTPBodyWriter) throws -> Void)
    }

    var status: HTTPStatus = .ok
    var fields = HeaderFields()
    var content: Content
    /// The states that the client has; if the current one is among them, the response is 304.
    var known: EntityTagCondition?
    /// The entities that a list with a tag depends on.
    var entities: [EntityDescription]?
    /// Whether the path may refer to another object later, as a relationship's path does.
    var hasVariableObject = false

    init(_ content: Content, status: HTTPStatus = .ok) {
        self.content = content
        self.status = status
    }
}

extension Reply {
    /// The response if the client has the current state.
    static func unchanged(_ tag: EntityTag) -> Reply {
        var reply = Reply(.none, status: .notModified)
        reply.fields[.etag] = tag.description
        return reply
    }
}

/// A page of objects, or of references to them.
struct ListDTO: Sendable {
    enum Items: Sendable {
        case objects([ObjectDTO])
        /// Objects as rows of a page.
        case rows(RowsDTO)
        case references([ManagedObjectID])
    }

    var items: Items
    /// The link to the next page, or nil on the last.
    var next: String?
    /// The cursor after this page, unless it is the last.
    var cursor: Cursor?
    var total: Int?
}
