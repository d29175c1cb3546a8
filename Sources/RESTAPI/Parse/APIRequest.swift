// SPDX-License-Identifier: Apache-2.0

// Parses a request: the first of four steps.

import HTTPMessage
import JSON
import ObjectGraph
import SourceText

/// A request with its endpoint, parameters and preferences. Whether they fit the model is checked by the plan.
struct APIRequest: Sendable {
    let method: HTTPMethod
    let endpoint: APIEndpoint
    let path: PathParts
    let parameters: Parameters
    let preferences: Preferences
    let fields: HeaderFields
    let body: HTTPRequestBody
    /// The memory that the request may use.
    let memory: HTTPMemory
    /// The maximum number of values in the body.
    private let valueLimit: Int
    /// The target as sent, for links.
    let target: RequestTarget
    let sender: RequestSender

    /// - Parameters:
    ///   - body: Replaces the request's own body.
    ///   - valueLimit: The maximum number of values in a JSON body.
    init(
        _ request: HTTPRequest,
        target: RequestTarget,
        endpoint: APIEndpoint,
        at path: PathParts,
        body: HTTPRequestBody? = nil,
        valueLimit: Int = .max
    ) throws(Problem) {
        method = request.method
        self.endpoint = endpoint
        self.path = path
        self.target = target
        var parameters = Parameters(target.query)
        try parameters.dropLayout()
        self.parameters = parameters
        preferences = try Preferences(request.fields)
        fields = request.fields
        self.body = body ?? request.body
        memory = request.memory
        sender = RequestSender(request)
        self.valueLimit = valueLimit
    }

    /// The body as JSON.
    ///
    /// - Parameter types: The allowed media types. A request without a type was refused before.
    func json(_ types: [String] = ["application/json"]) throws(Problem) -> JSONValue {
        if let text = fields[.contentType] {
            let type = MediaType(text)
            guard let type, types.contains("\(type.type)/\(type.subtype)") else {
                throw .mediaType(text, expecting: types)
            }
        }
        let bytes = try bodyBytes()
        guard !bytes.isEmpty else {
            throw Problem(
                .malformed,
                "The body is empty, but JSON is expected.",
                hint: "With curl, use --json '{…}'."
            )
        }
        try reserve(forValuesOf: bytes)
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes, limits: JSONLimits(bytes: .max, values: valueLimit))
        } catch {
            throw .malformed(error)
        }
        // Parsing a long body takes time.
        guard bytes.count <= Self.shortBody || (try? WorkLimits.check()) != nil else { throw .deadline }
        return value
    }

    /// Reserves memory for the parsed values of a long body. Short ones don't need it: the number of workers bounds how
    /// many are parsed at a time.
    private func reserve(forValuesOf bytes: [UInt8]) throws(Problem) {
        guard bytes.count > Self.shortBody else { return }
        var separators = 0
        for byte in bytes {
            separators += byte == UInt8(ascii: ",") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") ? 1 : 0
        }
        try reserve(bytes.count + min(separators + 1, valueLimit) * Self.valueSize)
    }

    /// Reserves memory for the duration of the request.
    func reserve(_ bytes: Int) throws(Problem) {
        guard memory.reserve(bytes) else { throw .memoryExhausted }
    }

    private static let shortBody = 64 << 10
    /// The approximate memory of a value.
    private static let valueSize = 128

    /// The body as JSON, or nil if it is empty.
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
                throw Problem(.malformed, "The request body is incomplete.")
            }
            return bytes
        }
    }
}

extension Problem {
    /// The problem with a body that isn't JSON, with the position, or that has too many values.
    static func malformed(_ error: JSONError) -> Problem {
        let isTooLarge = error.code == .tooManyValues
        var problem =
            isTooLarge
            ? Problem(.tooLarge, error.message, hint: tooLargeHint)
            : Problem(.malformed, "The body isn't JSON: \(error.message)")
        if isTooLarge { problem.extras["limit"] = "bodyValues" }
        problem.extras["line"] = .integer(error.position.line)
        problem.extras["column"] = .integer(error.position.column)
        return problem
    }

    /// The problem with a body that refers to too many objects.
    static func tooManyObjects(_ limit: Int) -> Problem {
        let message = "The body names more than \(limit) objects."
        var problem = Problem(.tooLarge, message, hint: tooLargeHint)
        problem.extras["limit"] = "bodyObjects"
        return problem
    }

    private static let tooLargeHint =
        "Send several requests, or send new objects as NDJSON to “batch-insert”, which accepts any number."

    /// The problem if other requests' bodies use up the shared memory.
    fileprivate static var memoryExhausted: Problem {
        var problem = Problem(.overload, "The bodies of other requests use all the memory for bodies. Try again later.")
        problem.extras["limit"] = "bodiesInMemory"
        problem.fields = [.retryAfter: "1"]
        return problem
    }

    static func mediaType(_ text: String, expecting types: [String]) -> Problem {
        let hint =
            if text.lowercased().contains("form") {
                "With curl, use --json '{…}' instead of -d or -F."
            } else if MediaType(text)?.subtype == "csv" {
                "“outcrop import http://HOST FILE.csv --entity NAME” reads CSV, and sends it to the server as JSON."
            } else {
                "Send Content-Type: \(types[0]), as curl --json '{…}' does."
            }
        return Problem(
            .mediaType,
            "The Content-Type “\(text)” isn't supported; send \(types.joined(separator: " or ")).",
            hint: hint
        )
    }
}
