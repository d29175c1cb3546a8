// SPDX-License-Identifier: Apache-2.0

// The codes of problems, which are stable, what each means, and what to do about it.

public import HTTPMessage

/// What kind of problem it is. Each has a page at `/problems/{code}`.
public struct ProblemCode: Hashable, Sendable, CustomStringConvertible {
    public let description: String
    public let status: HTTPStatus
    /// What a server answers with it as well, before there is a request that could be looked at.
    public let otherStatuses: [HTTPStatus]
    public let title: String
    /// When it is answered.
    public let meaning: String
    /// What whoever meets it can do.
    public let remedy: String

    private init(
        _ code: String,
        _ status: HTTPStatus,
        _ title: String,
        _ meaning: String,
        _ remedy: String,
        otherStatuses: [HTTPStatus] = []
    ) {
        (description, self.status, self.otherStatuses, self.title) = (code, status, otherStatuses, title)
        (self.meaning, self.remedy) = (meaning, remedy)
    }

    public static func == (one: ProblemCode, other: ProblemCode) -> Bool { one.description == other.description }
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }

    public static let malformed = ProblemCode(
        "malformed",
        .badRequest,
        "The request can't be read",
        "The request breaks the rules of HTTP, is of another version, expects what isn't done here, or comes too slowly; or its body "
            + "is no JSON.",
        "Mend what `detail` names; for JSON, `line` and `column` say where.",
        otherStatuses: [.requestTimeout, .expectationFailed, .versionNotSupported]
    )
    public static let parameter = ProblemCode(
        "parameter",
        .badRequest,
        "A parameter is wrong",
        "A parameter, a key path or a preference isn't known, or can't have this value.",
        "Follow `hint`, which has the nearest name; `position` says where in the parameter it is."
    )
    public static let predicate = ProblemCode(
        "predicate",
        .badRequest,
        "The predicate can't be used",
        "A predicate can't be read, names what the model hasn't, is too large, or lacks arguments.",
        "Look at `position`, counted from 0 in Unicode scalars, and write values as `%@` with `arg`."
    )
    public static let notFound = ProblemCode(
        "not-found",
        .notFound,
        "There is no such thing",
        "No entity, object, property, query or route has this path.",
        "Check the path; `GET /api` lists what there is."
    )
    public static let method = ProblemCode(
        "method",
        .methodNotAllowed,
        "The method isn't allowed here",
        "The path is right, and can't be asked with this method.",
        "Use one of those in `Allow`; many objects are changed by batches."
    )
    public static let notAcceptable = ProblemCode(
        "not-acceptable",
        .notAcceptable,
        "No acceptable form",
        "The request's `Accept` excludes every form that there is.",
        "Leave out `Accept`, or add the type that `detail` names."
    )
    public static let gone = ProblemCode(
        "gone",
        .gone,
        "It is gone",
        "What was there has ended: an editing context, or history that was trimmed.",
        "Begin anew: open another context, or read everything once."
    )
    public static let tooLarge = ProblemCode(
        "too-large",
        .contentTooLarge,
        "That is too large",
        "The body, or what a draft or an answer would come to by it, has more bytes, values or objects than it may have.",
        "Send less at once, or use what is streamed: NDJSON to `batch-insert`, raw bytes to a binary attribute."
    )
    public static let mediaType = ProblemCode(
        "media-type",
        .unsupportedMediaType,
        "The body's type isn't known",
        "`Content-Type` or `Content-Encoding` names what isn't understood here, or a body has no `Content-Type`.",
        "Send JSON; with curl, `--json '{…}'` instead of `-d` or `-F`."
    )
    public static let crossSite = ProblemCode(
        "cross-site",
        .forbidden,
        "Pages of other sites may not do this",
        "A browser sent it for a page of another site, as `Origin` or `Sec-Fetch-Site` tells, and it might "
            + "change something; or the browser asks whether it may send such a request.",
        "Name the page's origin in the setting `cors`, if its pages may read and write everything here."
    )
    public static let misdirected = ProblemCode(
        "misdirected",
        .misdirected,
        "That is another server",
        "`Host` names a server that this one isn't, which may be how a page of another site reads from it.",
        "Ask by a name that the server has, or give it the name in the setting `hostNames`."
    )
    public static let headersTooLarge = ProblemCode(
        "headers-too-large",
        .headerFieldsTooLarge,
        "The head is too large",
        "The request has too many header fields, or too large ones.",
        "Send fewer and shorter ones; cookies are not needed."
    )
    public static let validation = ProblemCode(
        "validation",
        .unprocessableContent,
        "Values aren't valid",
        "Values don't fit the model: types, ranges, lengths, patterns, missing ones, references that lead nowhere.",
        "Mend what `errors` lists, with object and property; `errorsOmitted` says how many more there are than a hundred."
    )
    public static let deleteDenied = ProblemCode(
        "delete-denied",
        .conflict,
        "Other objects are in the way",
        "A relationship of the object denies its deletion while it leads to others.",
        "Delete or move the objects first that are named; there are up to 20 of them."
    )
    public static let unique = ProblemCode(
        "unique",
        .conflict,
        "Values must be unique",
        "Another object has the values that the model wants to be unique.",
        "Choose others, or change the holder first. `Prefer: merge=overwrite` makes the creation of an object a change of the holder; "
            + "where an object that is there is changed, it deletes the holder."
    )
    public static let conflict = ProblemCode(
        "conflict",
        .conflict,
        "Others have changed it",
        "The stored object is newer than the version that the change goes out from.",
        "Look at `errors`, which has both sides, and send it again with the stored version, or with `Prefer: merge=…`."
    )
    public static let maxAffected = ProblemCode(
        "max-affected",
        .conflict,
        "Too many objects are meant",
        "A batch would touch more objects than its `max` allows.",
        "Narrow `where`, or raise `max`."
    )
    public static let precondition = ProblemCode(
        "precondition",
        .preconditionFailed,
        "It isn't what you expect",
        "`If-Match` names another version than the stored one.",
        "Read the object again, or take it from `current`, and decide anew."
    )
    public static let preconditionRequired = ProblemCode(
        "precondition-required",
        .preconditionRequired,
        "A version must be named",
        "This server wants every change to name the version that it goes out from.",
        "Send the object's `ETag` as `If-Match`, or its `_version` in the body."
    )
    public static let idempotency = ProblemCode(
        "idempotency",
        .unprocessableContent,
        "The key was used for another request",
        "`Idempotency-Key` came before, with another request: another path, query, body or preference.",
        "Make a new key for each new request, and keep it for repeats of that one."
    )
    public static let deadline = ProblemCode(
        "deadline",
        .serviceUnavailable,
        "It took too long",
        "The statement was ended because it took longer than a request may.",
        "Ask for less, or have it served by an index: `explain=true` tells whether one is used."
    )
    public static let overload = ProblemCode(
        "overload",
        .serviceUnavailable,
        "There is too much to do",
        "More requests wait, or there are more connections, bodies in memory or drafts than there may be, `limit` names the setting; or "
            + "a request's turn did not come in time.",
        "Try again after `Retry-After` seconds."
    )
    public static let locked = ProblemCode(
        "locked",
        .serviceUnavailable,
        "Another program has the store",
        "Another program goes on writing into a store, or has it for itself, and nothing could be written in time.",
        "Try again after `Retry-After` seconds; see which program holds the store's file. Reading goes on meanwhile."
    )
    public static let draining = ProblemCode(
        "draining",
        .serviceUnavailable,
        "The server is ending",
        "The server finishes what it has begun, and takes nothing new.",
        "Try again after `Retry-After` seconds, or ask another server."
    )
    public static let notReady = ProblemCode(
        "not-ready",
        .serviceUnavailable,
        "Not all stores can be used",
        "There is no store, or one that can't be read, or in which nothing can be saved: its file was deleted or replaced, or a save "
            + "into it and others can't be judged.",
        "Look at `errors`, which names the stores; the server's log tells more."
    )
    public static let diskFull = ProblemCode(
        "disk-full",
        .insufficientStorage,
        "The disk is full",
        "The store could not write; nothing of the request was kept.",
        "Make room on the disk of the store, then send the request again."
    )
    public static let uriTooLong = ProblemCode(
        "uri-too-long",
        .uriTooLong,
        "The address is too long",
        "The request's path and query are longer than they may be.",
        "Send the parameters in a body, to `POST /api/{E}/fetch`."
    )
    public static let range = ProblemCode(
        "range",
        .rangeNotSatisfiable,
        "The range is beyond the end",
        "No part of what `Range` asks for is within the bytes.",
        "`Content-Range` has the length; ask within it."
    )
    public static let notImplemented = ProblemCode(
        "not-implemented",
        .notImplemented,
        "It isn't there yet",
        "The contract has it, and this version doesn't; or `Transfer-Encoding` names more than `chunked`.",
        "Do without, or use a newer version."
    )
    public static let `internal` = ProblemCode(
        "internal",
        .internalServerError,
        "Something went wrong here",
        "The server could not do what it should have been able to do.",
        "Report it with `requestId`, by which the server's log tells more."
    )

    /// All the statuses that it comes with.
    public var statuses: [HTTPStatus] { [status] + otherStatuses }

    public static let all: [ProblemCode] = [
        .malformed, .parameter, .predicate, .crossSite, .notFound, .method, .notAcceptable, .gone, .tooLarge,
        .mediaType, .misdirected, .headersTooLarge, .validation, .deleteDenied, .unique, .conflict, .maxAffected,
        .precondition, .preconditionRequired, .idempotency, .deadline, .overload, .locked, .draining, .notReady,
        .diskFull, .uriTooLong, .range, .notImplemented, .internal,
    ]
}
