// SPDX-License-Identifier: Apache-2.0

// Error responses as defined by RFC 9457.

package import HTTPMessage
package import JSON

/// A problem document.
package struct Problem: Error, Equatable, Sendable {
    /// An error in one property of one object.
    package struct Detail: Hashable, Sendable {
        package var object: String?
        package var property: String?
        package var code: String
        package var message: String
        /// Additional members.
        package var extras: JSONObject

        package init(
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

    package var code: ProblemCode
    /// The status, which may differ from the code's.
    package var status: HTTPStatus
    /// A sentence that explains the problem.
    package var detail: String
    /// A remedy, if there is one.
    package var hint: String?
    /// The position in a predicate, from 0, in Unicode scalars.
    package var position: Int?
    package var errors: [Detail] = []
    /// The number of errors that `errors` omits.
    package var omittedErrors = 0
    /// Additional members, such as `inserted` and `line`.
    package var extras = JSONObject()
    /// Why the server failed, for its log only, since it may name files.
    package var reason: String?
    /// Additional header fields of the response.
    package var fields = HeaderFields()

    package init(_ code: ProblemCode, _ detail: String, hint: String? = nil) {
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
    package var json: JSONValue {
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
