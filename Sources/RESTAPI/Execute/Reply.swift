// SPDX-License-Identifier: Apache-2.0

// What came of a plan, before it is bytes.

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
        /// Something that has its bytes already, of a media type.
        case bytes([UInt8], type: String)
        /// What comes now and then.
        case feed(@Sendable (any HTTPFeed) -> Void)
        case stream(type: String, length: Int?, @Sendable (any HTTPBodyWriter) throws -> Void)
    }

    var status: HTTPStatus = .ok
    var fields = HeaderFields()
    var content: Content
    /// The states that the client has; where it is one of them, it isn't sent again.
    var known: EntityTagCondition?
    /// Whether another object may be there at another time, as at the end of a relationship.
    var isWhoever = false

    init(_ content: Content, status: HTTPStatus = .ok) {
        self.content = content
        self.status = status
    }
}

extension Reply {
    /// That a client has what it asks for.
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
        case references([ManagedObjectID])
    }

    var items: Items
    /// Where the next page is; nil on the last.
    var next: String?
    /// Where this page ends, if it isn't the last.
    var cursor: Cursor?
    var total: Int?
}
