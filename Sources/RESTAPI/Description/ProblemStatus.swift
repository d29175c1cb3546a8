// SPDX-License-Identifier: Apache-2.0

// The problems and header fields of responses.

import JSON

/// A kind of problem that operations may have, by status.
enum ProblemStatus: Int, CaseIterable {
    case badRequest = 400
    case unauthorized = 401
    case crossSite = 403
    case notFound = 404
    case notAcceptable = 406
    case conflict = 409
    case gone = 410
    case preconditionFailed = 412
    case tooLarge = 413
    case unsupportedMediaType = 415
    case rangeNotSatisfiable = 416
    case misdirected = 421
    case unprocessable = 422
    case preconditionRequired = 428
    case tooManyRequests = 429
    case internalError = 500
    case notImplemented = 501
    case unavailable = 503
    case storeFull = 507

    /// The problems that any request may have.
    static let ofAll: [ProblemStatus] = [.badRequest, .notAcceptable, .misdirected, .internalError, .unavailable]
}

extension JSONValue {
    static let bytes: JSONValue = ["type": "string", "format": "binary"]

    /// The content of a response, by media type.
    static func content(_ schemas: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(schemas.map { ($0, ["schema": $1]) }))
    }

    static func response(_ text: String, _ headers: [String], _ schemas: [(String, JSONValue)]) -> JSONValue {
        let fields = headers.map { name -> (String, JSONValue) in
            (Self.headers.first { $0.name == name }?.field ?? name, ["$ref": .string("#/components/headers/\(name)")])
        }
        let response: JSONValue = ["description": .string(text)]
        return response.with("headers", fields.isEmpty ? .none : .some(.object(JSONObject(fields))))
            .with("content", schemas.isEmpty ? .none : .some(.content(schemas)))
    }

    /// The header fields of responses.
    static var sharedHeaders: JSONObject {
        JSONObject(
            headers.map { name, _, text in
                (name, ["description": .string(text), "schema": ["type": "string"]])
            }
        )
    }

    private static let headers: [(name: String, field: String, text: String)] = [
        ("etag", "ETag", "The version of what is returned."), ("location", "Location", "The path of the new object."),
        ("link", "Link", "`rel=\"next\"`: the next page."),
    ]
}
