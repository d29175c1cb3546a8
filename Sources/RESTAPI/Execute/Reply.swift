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
        case json(JSONValue)
        /// Something that has its bytes already, of a media type.
        case bytes([UInt8], type: String)
        case stream(type: String, length: Int?, @Sendable (any HTTPBodyWriter) throws -> Void)
    }

    var status: HTTPStatus = .ok
    var fields = HeaderFields()
    var content: Content

    init(_ content: Content, status: HTTPStatus = .ok) {
        self.content = content
        self.status = status
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
    var total: Int?
}
