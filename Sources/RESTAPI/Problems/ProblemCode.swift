// SPDX-License-Identifier: Apache-2.0

// The codes of problems, which are stable, and what each means.

public import HTTPMessage

/// What kind of problem it is. Each has a page at `/problems/{code}`.
public struct ProblemCode: Hashable, Sendable, CustomStringConvertible {
    public let description: String
    public let status: HTTPStatus
    public let title: String

    private init(_ code: String, _ status: HTTPStatus, _ title: String) {
        (description, self.status, self.title) = (code, status, title)
    }

    public static func == (one: ProblemCode, other: ProblemCode) -> Bool { one.description == other.description }
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }

    public static let malformed = ProblemCode("malformed", .badRequest, "The request can't be read")
    public static let parameter = ProblemCode("parameter", .badRequest, "A parameter is wrong")
    public static let predicate = ProblemCode("predicate", .badRequest, "The predicate can't be used")
    public static let notFound = ProblemCode("not-found", .notFound, "There is no such thing")
    public static let method = ProblemCode("method", .methodNotAllowed, "The method isn't allowed here")
    public static let notAcceptable = ProblemCode("not-acceptable", .notAcceptable, "No acceptable form")
    public static let gone = ProblemCode("gone", .gone, "It is gone")
    public static let tooLarge = ProblemCode("too-large", .contentTooLarge, "The body is too large")
    public static let mediaType = ProblemCode("media-type", .unsupportedMediaType, "The body's type isn't known")
    public static let headersTooLarge = ProblemCode("headers-too-large", .headerFieldsTooLarge, "The head is too large")
    public static let validation = ProblemCode("validation", .unprocessableContent, "Values aren't valid")
    public static let deleteDenied = ProblemCode("delete-denied", .conflict, "Other objects are in the way")
    public static let unique = ProblemCode("unique", .conflict, "Values must be unique")
    public static let conflict = ProblemCode("conflict", .conflict, "Others have changed it")
    public static let maxAffected = ProblemCode("max-affected", .conflict, "Too many objects are meant")
    public static let precondition = ProblemCode("precondition", .preconditionFailed, "It isn't what you expect")
    public static let preconditionRequired = ProblemCode(
        "precondition-required",
        .preconditionRequired,
        "A version must be named"
    )
    public static let idempotency = ProblemCode(
        "idempotency",
        .unprocessableContent,
        "The key was used for another body"
    )
    public static let deadline = ProblemCode("deadline", .serviceUnavailable, "It took too long")
    public static let overload = ProblemCode("overload", .serviceUnavailable, "There is too much to do")
    public static let draining = ProblemCode("draining", .serviceUnavailable, "The server is ending")
    public static let diskFull = ProblemCode("disk-full", .insufficientStorage, "The disk is full")
    public static let uriTooLong = ProblemCode("uri-too-long", .uriTooLong, "The address is too long")
    public static let range = ProblemCode("range", .rangeNotSatisfiable, "The range is beyond the end")
    public static let notImplemented = ProblemCode("not-implemented", .notImplemented, "It isn't there yet")
    public static let `internal` = ProblemCode("internal", .internalServerError, "Something went wrong here")

    public static let all: [ProblemCode] = [
        .malformed, .parameter, .predicate, .notFound, .method, .notAcceptable, .gone, .tooLarge, .mediaType,
        .headersTooLarge, .validation, .deleteDenied, .unique, .conflict, .maxAffected, .precondition,
        .preconditionRequired, .idempotency, .deadline, .overload, .draining, .diskFull, .uriTooLong, .range,
        .notImplemented, .internal,
    ]
}
