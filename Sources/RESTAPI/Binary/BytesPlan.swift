// SPDX-License-Identifier: Apache-2.0

// Requests for the bytes of a binary attribute.

import HTTPMessage
import ObjectGraph
import ObjectModel

struct BytesPlan: Equatable {
    enum Action: Equatable {
        case read(ContentRequest)
        case write(IncomingBody)
        case remove
    }

    var target: ObjectLocation
    /// The attribute's API property. Subentities have attributes of their own.
    var property: ResourceProperty
    var action: Action
    var conditions: Preconditions
    /// The author recorded in history.
    var author: String?

    init(_ request: APIRequest, to action: Action) throws(Problem) {
        target = try request.path.location
        property = try request.path.property
        self.action = action
        author = request.author
        conditions = try Preconditions(request.fields)
        if request.method == .put, !request.fields.values(of: "Content-Range").isEmpty {
            throw Problem(
                .malformed,
                "A part of the value can't be replaced, only the whole value.",
                hint: "Omit Content-Range."
            )
        }
    }
}
