// SPDX-License-Identifier: Apache-2.0

// The stable codes of problems, each with its meaning and remedy.

package import HTTPMessage

/// A kind of problem. Each has a page at `/problems/{code}`.
package struct ProblemCode: Hashable, Sendable, CustomStringConvertible {
    package let description: String
    package let status: HTTPStatus
    /// Statuses of the same problem in requests that the server can't read.
    package let otherStatuses: [HTTPStatus]
    package let title: String
    /// When the problem occurs.
    package let meaning: String
    /// What the client can do.
    package let remedy: String

    private init(
        _ code: String,
        _ status: HTTPStatus,
        _ title: String,
        _ meaning: String,
        _ remedy: String,
        otherStatuses: [HTTPStatus] = []
    ) {
        description = code
        self.status = status
        self.otherStatuses = otherStatuses
        self.title = title
        self.meaning = meaning
        self.remedy = remedy
    }

    package static func == (one: ProblemCode, other: ProblemCode) -> Bool { one.description == other.description }
    package func hash(into hasher: inout Hasher) { hasher.combine(description) }

    package static let malformed = ProblemCode(
        "malformed",
        .badRequest,
        "Malformed request",
        "The request violates HTTP, uses an unsupported version or `Expect`, arrives too slowly, or has a body "
            + "that isn't valid JSON.",
        "Correct what `detail` names; for JSON, `line` and `column` give the position.",
        otherStatuses: [.requestTimeout, .expectationFailed, .versionNotSupported]
    )
    package static let parameter = ProblemCode(
        "parameter",
        .badRequest,
        "Invalid parameter",
        "A parameter, a key path or a preference is unknown, or has an invalid value.",
        "Follow `hint`, which suggests the nearest name; `position` is the position in the parameter."
    )
    package static let predicate = ProblemCode(
        "predicate",
        .badRequest,
        "Invalid predicate",
        "A predicate has a syntax error, names a property that the model doesn't have, is too large, or lacks "
            + "arguments.",
        "See `position`, counted from 0 in Unicode scalars. Pass values as `%@` with `arg`."
    )
    package static let notFound = ProblemCode(
        "not-found",
        .notFound,
        "Not found",
        "No entity, object, property, query or route has this path.",
        "Check the path; `GET /api` lists the entities."
    )
    package static let method = ProblemCode(
        "method",
        .methodNotAllowed,
        "Method not allowed",
        "The path exists, but doesn't support this method.",
        "Use a method that `Allow` lists. To change many objects, use a batch."
    )
    package static let notAcceptable = ProblemCode(
        "not-acceptable",
        .notAcceptable,
        "No acceptable format",
        "The request's `Accept` excludes every available format.",
        "Omit `Accept`, or add the type that `detail` names."
    )
    package static let gone = ProblemCode(
        "gone",
        .gone,
        "Gone",
        "The editing context has ended, or the history was trimmed.",
        "Start again: open another context, or read everything once."
    )
    package static let tooLarge = ProblemCode(
        "too-large",
        .contentTooLarge,
        "Too large",
        "The body, or the draft or answer that results from it, exceeds the limit on bytes, values or objects.",
        "Send less at once, or stream it: NDJSON to `batch-insert`, raw bytes to a binary attribute."
    )
    package static let mediaType = ProblemCode(
        "media-type",
        .unsupportedMediaType,
        "Unsupported media type",
        "`Content-Type` or `Content-Encoding` isn't supported, or a body has no `Content-Type`.",
        "Send JSON; with curl, use `--json '{…}'` instead of `-d` or `-F`."
    )
    package static let crossSite = ProblemCode(
        "cross-site",
        .forbidden,
        "Cross-site request refused",
        "A browser sent a request that might change data for a page of another site, according to `Origin` or "
            + "`Sec-Fetch-Site`, or asks whether it may.",
        "If that site's pages may read and write all data, add its origin to the setting `cors`."
    )
    package static let forbidden = ProblemCode(
        "forbidden",
        .forbidden,
        "Not allowed",
        "The server doesn't allow this request, or its access rules don't allow it to this identity.",
        "See `hint`, which names the setting that allows it. Access rules are changed by those who administer the server."
    )
    package static let unauthenticated = ProblemCode(
        "unauthenticated",
        .unauthorized,
        "Credential needed",
        "The server has access rules, and the request has no valid credential.",
        "Send `Authorization: Bearer` with a key or a token, or the key as the password of Basic authentication."
    )
    package static let misdirected = ProblemCode(
        "misdirected",
        .misdirected,
        "Unknown host",
        "`Host` doesn't name this server. A page of another site may be trying to read from it.",
        "Use one of the server's names, or add this one to the setting `hostNames`."
    )
    package static let headersTooLarge = ProblemCode(
        "headers-too-large",
        .headerFieldsTooLarge,
        "Header fields too large",
        "The request has too many header fields, or too large ones.",
        "Send fewer or shorter ones; cookies aren't needed."
    )
    package static let validation = ProblemCode(
        "validation",
        .unprocessableContent,
        "Invalid values",
        "Values violate the model: a type, range, length or pattern, a missing value, or a reference to an object "
            + "that doesn't exist.",
        "Correct what `errors` lists by object and property. It has at most a hundred; `errorsOmitted` counts the "
            + "others."
    )
    package static let deleteDenied = ProblemCode(
        "delete-denied",
        .conflict,
        "Deletion denied",
        "A relationship with the delete rule Deny still refers to other objects.",
        "Delete or move the objects that `errors` names first; it names at most 20."
    )
    package static let unique = ProblemCode(
        "unique",
        .conflict,
        "Values not unique",
        "Another object already has values that must be unique in the model.",
        "Choose other values, or change the other object first. With `Prefer: merge=overwrite`, a creation updates "
            + "the other object, and an update deletes it."
    )
    package static let conflict = ProblemCode(
        "conflict",
        .conflict,
        "Conflict with another change",
        "The stored object is newer than the version that the change is based on.",
        "Compare both sides in `errors`, then send the change again with the stored version, or with `Prefer: "
            + "merge=…`."
    )
    package static let model = ProblemCode(
        "model",
        .conflict,
        "Model refused",
        "The new model has errors, or the stores can't be migrated to it without losing something.",
        "Correct what `errors` lists. The server goes on with its model."
    )
    package static let modelVersion = ProblemCode(
        "model-version",
        .conflict,
        "Unsuitable version of the model",
        "`Accept-Model` names a version of the model that the server doesn't know, or whose clients would lose something "
            + "by the differences from the served version.",
        "Update the client; `errors` lists the differences. Without `Accept-Model`, answers have the served version's shape."
    )
    package static let maxAffected = ProblemCode(
        "max-affected",
        .conflict,
        "Too many objects affected",
        "A batch would affect more objects than its `max` allows.",
        "Narrow `where`, or raise `max`."
    )
    package static let precondition = ProblemCode(
        "precondition",
        .preconditionFailed,
        "Precondition failed",
        "`If-Match` names another version than the stored one.",
        "Read the object again, or use `current`, and decide whether the change still applies."
    )
    package static let preconditionRequired = ProblemCode(
        "precondition-required",
        .preconditionRequired,
        "Version required",
        "This server requires every change to name the version that it is based on.",
        "Send the object's `ETag` as `If-Match`, or its `_version` in the body."
    )
    package static let idempotency = ProblemCode(
        "idempotency",
        .unprocessableContent,
        "Idempotency key already used",
        "This `Idempotency-Key` was used for a request with another path, query, body or preference.",
        "Use a new key for each new request, and the same key only to repeat a request."
    )
    package static let rate = ProblemCode(
        "rate",
        .tooManyRequests,
        "Too many requests",
        "The identity, or the address of a client without one, has sent more requests than its role may, too many of its "
            + "sign-ins have failed, or there were too many sign-ups.",
        "Try again after `Retry-After` seconds. `RateLimit` has what is left, and `RateLimit-Policy` the limit."
    )
    package static let deadline = ProblemCode(
        "deadline",
        .serviceUnavailable,
        "Deadline exceeded",
        "The request took longer than a request may, and was cancelled.",
        "Ask for less, or add an index; `explain=true` shows whether one is used."
    )
    package static let overload = ProblemCode(
        "overload",
        .serviceUnavailable,
        "Overloaded",
        "A limit on waiting requests, connections, memory for bodies, or drafts is reached (`limit` names the "
            + "setting), the request waited too long, or others changed the same objects again and again.",
        "Try again after `Retry-After` seconds."
    )
    package static let locked = ProblemCode(
        "locked",
        .serviceUnavailable,
        "Store locked by another program",
        "Another program holds a lock on a store, so that nothing could be written in time.",
        "Try again after `Retry-After` seconds, and find out which program has the file open. Reads still work."
    )
    package static let draining = ProblemCode(
        "draining",
        .serviceUnavailable,
        "Server shutting down",
        "The server completes the requests that it has begun and accepts no others.",
        "Try again after `Retry-After` seconds, or use another server."
    )
    package static let migrating = ProblemCode(
        "migrating",
        .serviceUnavailable,
        "Model change under way",
        "The server is migrating its stores to a new model.",
        "Try again after `Retry-After` seconds."
    )
    package static let notReady = ProblemCode(
        "not-ready",
        .serviceUnavailable,
        "A store isn't usable",
        "There is no store, or a store can't be read or saved: its file was deleted or replaced, or the outcome of "
            + "a save into several stores is undecided.",
        "See `errors`, which names the stores, and the server's log."
    )
    package static let diskFull = ProblemCode(
        "disk-full",
        .insufficientStorage,
        "Disk full",
        "The store couldn't write; nothing of the request was saved.",
        "Free space on the store's disk, then send the request again."
    )
    package static let uriTooLong = ProblemCode(
        "uri-too-long",
        .uriTooLong,
        "Address too long",
        "The request's path and query exceed the limit.",
        "Send the parameters in the body of `POST /api/{E}/fetch`."
    )
    package static let range = ProblemCode(
        "range",
        .rangeNotSatisfiable,
        "Range not satisfiable",
        "The requested `Range` lies beyond the end.",
        "`Content-Range` has the length; ask for a range within it."
    )
    package static let notImplemented = ProblemCode(
        "not-implemented",
        .notImplemented,
        "Not implemented",
        "The stores don't support this, such as a history that isn't kept; or `Transfer-Encoding` names more than "
            + "`chunked`.",
        "Do without it, or change what `hint` names."
    )
    package static let `internal` = ProblemCode(
        "internal",
        .internalServerError,
        "Internal error",
        "The server failed unexpectedly.",
        "Report it with `requestId`, which identifies the request in the server's log."
    )

    /// All statuses of the problem.
    package var statuses: [HTTPStatus] { [status] + otherStatuses }

    package static let all: [ProblemCode] = [
        .malformed, .unauthenticated, .parameter, .predicate, .crossSite, .forbidden, .notFound, .method,
        .notAcceptable, .gone,
        .tooLarge, .mediaType, .misdirected, .headersTooLarge, .validation, .deleteDenied, .unique, .conflict, .model,
        .modelVersion, .maxAffected, .precondition, .preconditionRequired, .idempotency, .rate, .deadline, .overload,
        .locked,
        .draining,
        .migrating, .notReady, .diskFull, .uriTooLong, .range, .notImplemented, .internal,
    ]
}
