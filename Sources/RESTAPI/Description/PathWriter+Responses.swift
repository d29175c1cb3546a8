// SPDX-License-Identifier: Apache-2.0

// What requests are answered.

import HTTPMessage
import JSON
import ObjectGraph

extension PathWriter {
    /// A problem that many operations answer with, by its name among the components.
    enum SharedResponse: String, CaseIterable {
        case badRequest = "BadRequest"
        case crossSite = "CrossSite"
        case notFound = "NotFound"
        case notAcceptable = "NotAcceptable"
        case conflict = "Conflict"
        case gone = "Gone"
        case preconditionFailed = "PreconditionFailed"
        case tooLarge = "TooLarge"
        case mediaType = "UnsupportedMediaType"
        case range = "RangeNotSatisfiable"
        case misdirected = "Misdirected"
        case unprocessable = "Unprocessable"
        case preconditionRequired = "PreconditionRequired"
        case internalError = "InternalError"
        case notImplemented = "NotImplemented"
        case unavailable = "Unavailable"
        case full = "StoreFull"

        var status: Int {
            switch self {
            case .badRequest: 400
            case .crossSite: 403
            case .notFound: 404
            case .notAcceptable: 406
            case .conflict: 409
            case .gone: 410
            case .preconditionFailed: 412
            case .tooLarge: 413
            case .mediaType: 415
            case .range: 416
            case .misdirected: 421
            case .unprocessable: 422
            case .preconditionRequired: 428
            case .internalError: 500
            case .notImplemented: 501
            case .unavailable: 503
            case .full: 507
            }
        }

        /// The codes that the problem may have.
        var codes: String {
            ProblemCode.all.filter { $0.status.code == status }.map { "`\($0)`" }.joined(separator: ", ")
        }
    }

    static let bodyProblems: [SharedResponse] = [.tooLarge, .mediaType, .unprocessable, .notImplemented, .full]
    static let changeProblems: [SharedResponse] = [.conflict, .preconditionFailed, .preconditionRequired]

    static func sharedResponses(_ description: ModelDescription) -> JSONObject {
        let content: JSONValue = ["application/problem+json": ["schema": description.reference(.problem)]]
        return JSONObject(
            SharedResponse.allCases.map { shared in
                var response: JSONValue = [
                    "description": .string("Codes: \(shared.codes)"),
                    "headers": ["X-Request-Id": header("requestId")], "content": content,
                ]
                if shared == .unavailable {
                    response = response.with(
                        "headers",
                        ["X-Request-Id": header("requestId"), "Retry-After": header("retryAfter")]
                    )
                }
                return (shared.rawValue, response)
            }
        )
    }

    static var sharedHeaders: JSONObject {
        func text(_ description: String) -> JSONValue {
            ["description": .string(description), "schema": ["type": "string"]]
        }
        return [
            "requestId": text("Names the request in logs; the client's own where that is sane."),
            "etag": text("The version of what is shown."), "location": text("Where the new object is."),
            "link": text("`rel=\"next\"`: the next page."),
            "replayed": text("`true` where it is the first answer to the `Idempotency-Key`, given again."),
            "retryAfter": ["description": "After how many seconds to try again.", "schema": ["type": "integer"]],
        ]
    }

    private static func header(_ name: String) -> JSONValue { ["$ref": .string("#/components/headers/\(name)")] }

    /// The response of a request that may come again.
    fileprivate static func repeatable(_ response: JSONValue) -> JSONValue {
        var headers = response["headers"]?.object ?? JSONObject()
        headers["Idempotency-Replayed"] = header("replayed")
        return response.with("headers", .object(headers))
    }

    static let nothing: JSONValue = ["description": "Done"]
    static let unchanged: JSONValue = ["description": "What the client has is still right"]

    static func answer(
        _ schema: JSONValue,
        _ text: String,
        _ headers: JSONObject = JSONObject(),
        as type: String = "application/json"
    ) -> JSONValue {
        var all: JSONObject = ["X-Request-Id": header("requestId")]
        for member in headers.members { all[member.name] = member.value }
        let content = JSONObject([(type, .object(["schema": schema]))])
        return ["description": .string(text), "headers": .object(all), "content": .object(content)]
    }

    // MARK: Objects

    func shown(_ resource: Resource) -> JSONValue {
        Self.answer(description.reference(resource), "The object", ["ETag": Self.header("etag")])
    }

    /// What changing an object answers.
    func written(_ resource: Resource) -> JSONValue {
        Self.answer(
            .any(of: [description.reference(resource), several(resource)]),
            "The object as it is now, or as it would be",
            ["ETag": Self.header("etag")]
        )
    }

    private func several(_ resource: Resource) -> JSONValue {
        .schema("object", required: ["items"], ["items": .list(of: description.reference(resource))])
    }

    /// What making an object answers, and what can be done with the object then.
    func created(_ resource: Resource, _ path: String?) -> JSONValue {
        let answer = Self.answer(
            .any(of: [description.reference(resource), several(resource)]),
            "The new object, or all of them in order",
            ["ETag": Self.header("etag"), "Location": Self.header("location")]
        )
        guard let path else { return answer }
        let number = description.isOfContext ? "t?\\d+" : "\\d+"
        let key: JSONValue = .string("$response.header.Location#regex:\(path)/(\(number))")
        let links = ["get", "update", "replace", "delete"].map { verb -> (String, JSONValue) in
            let entity = ComponentNames.identifier(resource.entity.name)
            let name = verb + entity.prefix(1).uppercased() + entity.dropFirst()
            return (name, ["operationId": .string(name), "parameters": ["key": key]])
        }
        return answer.with("links", .object(JSONObject(links)))
    }

    /// What a fetch answers, by what was asked for.
    func fetched(_ resource: Resource) -> JSONValue {
        let all =
            [description.reference(resource, .page)]
            + [SharedSchema.references, .table, .count, .explanation].map { description.reference($0) }
        let answer = Self.answer(
            .any(of: all),
            "A page of objects, or all of them as lines of JSON or as CSV",
            ["ETag": Self.header("etag"), "Link": Self.header("link")]
        )
        let streams = AnswerFormat.allCases.filter { $0 != .json }.map { format in
            (format.mediaType.description, JSONValue.object(["schema": ["type": "string"]]))
        }
        let content = (answer["content"]?.object?.members ?? []).map { ($0.name, $0.value) } + streams
        return answer.with("content", .object(JSONObject(content)))
    }

    // MARK: Bodies

    static func json(_ schema: JSONValue) -> JSONValue { body(["application/json": schema]) }

    static func body(_ schemas: [String: JSONValue]) -> JSONValue {
        let content = schemas.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.object(["schema": $0.value])) }
        return ["required": true, "content": .object(JSONObject(content))]
    }
}

extension PathWriter.Operation {
    /// The operation with what each answers besides.
    ///
    /// - Parameter others: Further problems that it may answer with.
    func json(besides others: [PathWriter.SharedResponse]) -> JSONValue {
        var operation: JSONObject = [
            "operationId": .string(name), "summary": .string(summary), "tags": [.string(tag)],
        ]
        var (parameters, responses) = (parameters, responses)
        if isRepeatable {
            parameters.append(ModelDescription.parameter(.idempotencyKey))
            responses = responses.map { ($0, PathWriter.repeatable($1)) }
        }
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        operation["requestBody"] = body
        let always: [PathWriter.SharedResponse] = [
            .badRequest, .notAcceptable, .misdirected, .internalError, .unavailable,
        ]
        let failures = (problems + always + others.filter { !problems.contains($0) }).map { shared in
            ("\(shared.status)", JSONValue.object(["$ref": .string("#/components/responses/\(shared.rawValue)")]))
        }
        let all = (responses + failures).sorted { $0.0 < $1.0 }
        operation["responses"] = .object(JSONObject(all))
        return .object(operation)
    }
}
