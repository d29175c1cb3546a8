// SPDX-License-Identifier: Apache-2.0

// Error responses as defined by RFC 9457.

public import HTTPMessage
public import JSON

/// A problem document.
public struct Problem: Error, Equatable, Sendable {
    /// An error in one property of one object.
    public struct Detail: Hashable, Sendable {
        public var object: String?
        public var property: String?
        public var code: String
        public var message: String
        /// Additional members.
        public var extras: JSONObject

        public init(
            object: String? = nil,
            property: String? = nil,
            code: String,
            message: String,
            extras: JSONObject = JSONObject()
        ) {
            self.object = object
            self.property = property
            self.code = code
            self.message = message
            self.extras = extras
        }
    }

    public var code: ProblemCode
    /// The status, which may differ from the code's.
    public var status: HTTPStatus
    /// A sentence that explains the problem.
    public var detail: String
    /// A remedy, if there is one.
    public var hint: String?
    /// The position in a predicate, from 0, in Unicode scalars.
    public var position: Int?
    public var errors: [Detail] = []
    /// The number of errors that `errors` omits.
    public var omittedErrors = 0
    /// Additional members, such as `inserted` and `line`.
    public var extras = JSONObject()
    /// Why the server failed, for its log only, since it may name files.
    public var reason: String?
    /// Additional header fields of the response.
    public var fields = HeaderFields()

    public init(_ code: ProblemCode, _ detail: String, hint: String? = nil) {
        self.code = code
        status = code.status
        self.detail = detail
        self.hint = hint
    }

    /// The maximum number of errors in a document, which bounds its size.
    static let errorLimit = 100

    /// The number of all errors, including omitted ones.
    var errorCount: Int { errors.count + omittedErrors }

    /// Removes the errors beyond the limit.
    mutating func omitErrors() {
        guard errors.count > Self.errorLimit else { return }
        omittedErrors += errors.count - Self.errorLimit
        errors.removeLast(errors.count - Self.errorLimit)
    }

    /// The document.
    public var json: JSONValue {
        var document: [(String, JSONValue)] = [
            ("type", .string("/problems/\(code)")),
            ("title", .string(code.title)),
            ("status", .integer(status.code)),
            ("code", .string(code.description)),
            ("detail", .string(detail)),
        ]
        if let hint { document.append(("hint", .string(hint))) }
        if let position { document.append(("position", .integer(position))) }
        if !errors.isEmpty { document.append(("errors", .array(errors.map(\.json)))) }
        if omittedErrors > 0 { document.append(("errorsOmitted", .integer(omittedErrors))) }
        document += extras.members.map { ($0.name, $0.value) }
        return .object(JSONObject(document))
    }
}

extension Problem.Detail {
    var json: JSONValue {
        var members: [(String, JSONValue)] = []
        if let object { members.append(("object", .string(object))) }
        if let property { members.append(("property", .string(property))) }
        members += [("code", .string(code)), ("message", .string(message))]
        return .object(JSONObject(members + extras.members.map { ($0.name, $0.value) }))
    }
}
