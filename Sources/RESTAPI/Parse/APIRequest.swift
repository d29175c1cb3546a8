// SPDX-License-Identifier: Apache-2.0

// A request taken apart: first of the four steps from bytes to bytes.

import HTTPMessage
import JSON
import SourceText

/// A request with its route, its parameters and what it prefers. Whether that makes sense for the model is for the plan.
struct APIRequest: Sendable {
    let method: HTTPMethod
    let route: Route
    let parameters: Parameters
    let preferences: Preferences
    let fields: HeaderFields
    let body: HTTPRequestBody
    /// As it was sent, for links.
    let target: RequestTarget

    /// - Parameter body: What is read in place of the request's own body.
    init(
        _ request: HTTPRequest,
        _ target: RequestTarget,
        _ route: Route,
        body: HTTPRequestBody? = nil
    ) throws(Problem) {
        method = request.method
        self.route = route
        self.target = target
        parameters = Parameters(target.query)
        preferences = try Preferences(request.fields)
        fields = request.fields
        self.body = body ?? request.body
    }

    /// The body as JSON.
    ///
    /// - Parameter types: The media types that it may have. Without one it is taken for JSON.
    func json(_ types: [String] = ["application/json"]) throws(Problem) -> JSONValue {
        if let text = fields[.contentType] {
            let type = MediaType(text)
            guard let type, types.contains("\(type.type)/\(type.subtype)") else { throw .mediaType(text, types) }
        }
        let bytes = try bodyBytes()
        guard !bytes.isEmpty else {
            throw Problem(
                .malformed,
                "The body is empty where JSON is expected.",
                hint: "curl --json '{…}' sends some."
            )
        }
        do throws(JSONError) {
            return try JSONValue(parsing: bytes, limits: JSONLimits(bytes: .max))
        } catch {
            var problem = Problem(.malformed, "The body isn't JSON: \(error.message)")
            problem.extras = [
                "line": .integer(error.position.line), "column": .integer(error.position.column),
            ]
            throw problem
        }
    }

    /// The body as JSON; nil where there is none.
    func optionalJSON() throws(Problem) -> JSONValue? {
        if case .none = body { return nil }
        if case .bytes(let bytes) = body, bytes.isEmpty { return nil }
        return try json()
    }

    private func bodyBytes() throws(Problem) -> [UInt8] {
        switch body {
        case .none: return []
        case .bytes(let bytes): return bytes
        case .stream(let reader):
            var bytes: [UInt8] = []
            do {
                while let more = try reader.read() { bytes += more }
            } catch {
                throw Problem(.malformed, "The body broke off.")
            }
            return bytes
        }
    }
}

extension Problem {
    static func mediaType(_ text: String, _ types: [String]) -> Problem {
        let isForm = text.lowercased().contains("form")
        return Problem(
            .mediaType,
            "A body of type “\(text)” isn't understood here; it is \(types.joined(separator: " or ")).",
            hint: isForm ? "curl sends JSON with --json '{…}' instead of -d or -F." : nil
        )
    }
}
