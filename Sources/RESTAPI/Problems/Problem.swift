// SPDX-License-Identifier: Apache-2.0

// What the API answers where it can't do what was asked, as RFC 9457 has it.

public import HTTPMessage
public import JSON

/// A problem document.
public struct Problem: Error, Equatable, Sendable {
    /// What is wrong with one property of one object.
    public struct Detail: Hashable, Sendable {
        public var object: String?
        public var property: String?
        public var code: String
        public var message: String
        /// Values where they help.
        public var extras: JSONObject

        public init(
            object: String? = nil,
            property: String? = nil,
            code: String,
            message: String,
            extras: JSONObject = JSONObject()
        ) {
            (self.object, self.property, self.code) = (object, property, code)
            (self.message, self.extras) = (message, extras)
        }
    }

    public var code: ProblemCode
    /// The status, where it isn't the code's own.
    public var status: HTTPStatus
    /// What is wrong, in a sentence.
    public var detail: String
    /// How to mend it, where that can be said.
    public var hint: String?
    /// Where in a predicate it is, from 0, in Unicode scalars.
    public var position: Int?
    public var errors: [Detail] = []
    /// How many there are besides `errors`, which tells the first of them.
    public var omittedErrors = 0
    /// Members beside these, such as `inserted` and `line`.
    public var extras = JSONObject()
    /// Why the server could not do it, which may name files: for its log, and no part of the document.
    public var reason: String?
    /// Header fields that the answer has besides.
    public var fields = HeaderFields()

    public init(_ code: ProblemCode, _ detail: String, hint: String? = nil) {
        (self.code, status, self.detail, self.hint) = (code, code.status, detail, hint)
    }

    /// The most of its `errors` that a document tells: more of them help nobody, and take memory.
    static let errorLimit = 100

    /// How many errors there are, told or not.
    var errorCount: Int { errors.count + omittedErrors }

    /// Leaves out the errors beyond those that a document tells.
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
