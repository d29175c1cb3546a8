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
        if case .write = action { try Self.refuseForms(request.fields) }
    }

    /// Refuses what curl sends with `-d` and `-F`: parts of it aren't the value, and it would be stored as it is.
    private static func refuseForms(_ fields: HeaderFields) throws(Problem) {
        guard let type = fields[.contentType], let essence = MediaType(type)?.essence,
            ["application/x-www-form-urlencoded", "multipart/form-data"].contains(essence)
        else { return }
        throw Problem(
            .mediaType,
            "The body is the value itself, not a form (\(essence)).",
            hint: "Send the bytes with their Content-Type; with curl, -T FILE -H 'Content-Type: image/png'."
        )
    }
}
