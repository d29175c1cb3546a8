// SPDX-License-Identifier: Apache-2.0

// What requests to an endpoint may contain, and the possible answers.

import HTTPMessage
import JSON
import ObjectGraph

struct Contract: Sendable {
    /// What a request changes: an editing context, which is in memory, sessions of accounts, or the stores.
    enum Effect: Sendable { case nothing, draft, sessions, stores }
    /// How long a request may take. `rows` and `transfer` depend on the client's speed, `migration` on the stores' size.
    /// `password` takes a processor for a while.
    enum Work: Sendable { case short, batch, rows, transfer, migration, password }
    /// Who may send requests if the server has access rules: everyone, identities within the limits of their rules, or
    /// those that administer. What doesn't say that it applies the rules is for administration alone.
    enum Admission: Sendable { case everyone, byRules, administration }
    /// The servers that have the endpoint. Requests and answers of accounts have secrets, so that no answer is stored for
    /// repeats.
    enum Presence: Sendable { case always, withAccessRules, withAccounts }

    var parameters: [Parameter] = []
    var body = Body.none
    /// The first one determines the acceptable media types. Problems aren't included.
    var answers: [Answer]
    /// The problems, except those of any request, and those implied by the pattern, parameters and body.
    var problems: [ProblemStatus] = []
    /// By default nothing for `GET`, and the stores for other methods.
    var changes: Effect?
    var work = Work.short
    /// The method of the parent path that this endpoint replaces for many objects, and a verb for it.
    var insteadOf: (method: HTTPMethod, verb: String)?
    var admission = Admission.administration
    var presence = Presence.always

    /// Fetches objects.
    static let list = Contract(parameters: .fetch, answers: [.list, .unchanged], admission: .byRules)
    /// Watches a fetch.
    static let live = Contract(
        parameters: .live,
        answers: [.text("Server-Sent Events of the kinds `result`, `change`, `reset` and `count`", .eventStream)],
        admission: .byRules
    )
    /// Reads an object.
    static let object = Contract(
        parameters: .selection + [.ifNoneMatch, .ifMatch],
        answers: [.shown, .unchanged],
        admission: .byRules
    )
    /// Reads an object as it is now, or was earlier.
    static let objectInTime = Contract(
        parameters: object.parameters + [.asOf],
        answers: object.answers,
        problems: [.gone],
        admission: .byRules
    )
    /// Changes the bytes of an attribute.
    static func storedBytes(_ body: Body) -> Contract {
        Contract(
            parameters: [.ifMatch],
            body: body,
            answers: [.stored],
            problems: [.unprocessable],
            work: .transfer,
            admission: .byRules
        )
    }
    /// Changes an object.
    static func change(
        _ body: Body = .none,
        also: [Parameter] = [],
        answers: [Answer] = [.written, .nothing]
    ) -> Contract {
        Contract(
            parameters: [.dryRun, .ifMatch, .prefer] + also,
            body: body,
            answers: answers,
            admission: .byRules
        )
    }
    /// Changes many objects.
    static func batch(_ body: Body, insteadOf: (method: HTTPMethod, verb: String)) -> Contract {
        Contract(
            parameters: [.dryRun],
            body: body,
            answers: [.batch],
            work: .batch,
            insteadOf: insteadOf,
            admission: .byRules
        )
    }

    func deadline(_ options: APIOptions) -> Duration? {
        switch work {
        case .short, .password: options.deadline
        case .batch: options.batchDeadline
        case .rows, .transfer, .migration: nil
        }
    }
}

/// Makes a schema for a place in the document.
typealias PathSchema = @Sendable (PathBindings) -> JSONValue

extension Contract {
    struct Body: Sendable {
        /// Whether the body is read while it arrives.
        var isStreamed = false
        /// Whether the body makes objects; the endpoint isn't described for abstract entities then.
        var createsObjects = false
        /// A hint on how to send the required content type.
        var typeHint = "Send Content-Type: application/json, as curl --json '{…}' does."
        /// The problems that the body can cause.
        var problems: [ProblemStatus] = [
            .tooLarge, .unsupportedMediaType, .unprocessable, .notImplemented, .storeFull,
        ]
        var isRequired = true
        /// By media type; empty if the document describes no body.
        var schemas: [(type: String, schema: PathSchema)] = []

        static let none = Body(problems: [])
        /// No body, or JSON without members.
        static let empty = Body(problems: [.tooLarge, .unsupportedMediaType, .unprocessable])
        static let mergePatch = Body(
            schemas: ["application/json", "application/merge-patch+json"].map { ($0, { $0.reference(.patch) }) }
        )
        /// One new object, or several.
        static let newObjects = Body(createsObjects: true, schemas: [("application/json", { $0.newObjects })])
        /// Rows in an array or on lines.
        static let rows = Body(
            isStreamed: true,
            createsObjects: true,
            typeHint:
                "Send Content-Type: application/json, as curl --json '[…]' does, or application/x-ndjson for lines.",
            schemas: [
                ("application/json", { .list(of: $0.reference(.row)) }),
                // Generators of clients drop bodies of the type application/x-ndjson, which they don't know.
                (
                    "application/octet-stream",
                    { _ in
                        JSONValue.bytes.described(
                            "Any number of rows, one per line, as with the type application/x-ndjson."
                        )
                    }
                ),
            ]
        )
        static let bytes = Body(
            isStreamed: true,
            typeHint: "Send the Content-Type of the bytes; with curl, "
                + "-H 'Content-Type: application/octet-stream' --data-binary @FILE.",
            problems: [],
            schemas: [("application/octet-stream", { _ in .bytes })]
        )

        static func json(_ schema: @escaping PathSchema) -> Body { Body(schemas: [("application/json", schema)]) }

        /// JSON that may be omitted.
        static func optional(_ schema: SharedSchema) -> Body {
            Body(
                problems: empty.problems,
                isRequired: false,
                schemas: [("application/json", { $0.reference(schema) })]
            )
        }
    }

    /// A response to a successful request.
    struct Answer: Sendable {
        var status = 200
        /// The name among the document's components, with `{entity}` for the path's entity, and `{shown}` for that of the
        /// objects in the answer; nil if no other operation has the same answer.
        var name: String?
        /// The media types to negotiate, or nil to ignore what the request accepts.
        var accepted: [MediaType]? = [.json]
        /// A description; by default the endpoint's summary.
        var text: String?
        /// Header fields by their names among the components.
        var headers: [String] = []
        /// By media type; empty if there is no content.
        var schemas: [(type: String, schema: PathSchema)] = []
        /// Whether the document links operations on the object.
        var hasLinks = false

        static let nothing = Answer(status: 204, name: "Done", text: "Done")
        /// No content, whatever the client accepts.
        static let stored = Answer(status: 204, name: "Done", accepted: nil, text: "Done")
        static let unchanged = Answer(
            status: 304,
            name: "NotModified",
            text: "The client's version is current"
        )
        /// The response to reading an object.
        static let shown = json("The object", name: "{shown}", headers: ["etag"]) {
            $0.reference(.object, of: $0.shown)
        }
        /// The response to changing an object.
        static let written = json(
            "The object after the change, or after the change that a dry run tries",
            name: "Changed{entity}",
            headers: ["etag"]
        ) {
            $0.oneOrSeveral($0.resource)
        }
        /// The response to a deletion.
        static let deleted = json(
            .closure,
            "The objects that are deleted or changed along with it",
            name: SharedSchema.closure.rawValue
        )
        /// The response to a batch.
        static let batch = json(.batch, "The result", name: SharedSchema.batch.rawValue)
        static let history = json(.history, "The transactions", name: SharedSchema.history.rawValue)
        /// The response to inserting an object, also into a relationship.
        static let created = json(
            "The new object, or all new objects in order",
            name: "New{shown}",
            status: 201,
            headers: ["etag", "location"],
            hasLinks: true
        ) {
            $0.oneOrSeveral($0.shown)
        }
        /// The response to a fetch, by format.
        static let list = Answer(
            name: "{shown}List",
            accepted: AnswerFormat.allCases.map(\.mediaType),
            text: "A page of objects, or all objects as lines of JSON or as CSV",
            headers: ["etag", "link"],
            schemas: AnswerFormat.allCases.map { format in
                (format.mediaType.description, { format == .json ? $0.pageOrTable : ["type": "string"] })
            }
        )

        static func json(
            _ text: String? = nil,
            name: String? = nil,
            status: Int = 200,
            headers: [String] = [],
            hasLinks: Bool = false,
            schema: @escaping PathSchema
        ) -> Answer {
            Answer(
                status: status,
                name: name,
                text: text,
                headers: headers,
                schemas: [("application/json", schema)],
                hasLinks: hasLinks
            )
        }

        static func json(
            _ schema: SharedSchema,
            _ text: String? = nil,
            name: String? = nil,
            status: Int = 200
        ) -> Answer {
            json(text, name: name, status: status) { $0.reference(schema) }
        }

        /// Text with a media type.
        static func text(_ text: String, _ type: MediaType) -> Answer {
            let schema: (String, PathSchema) = (type.description, { _ in ["type": "string"] })
            return Answer(accepted: [type], text: text, schemas: [schema])
        }

        /// The bytes of an attribute, with its media type in the model.
        static func bytes(_ text: String, status: Int) -> Answer {
            Answer(status: status, accepted: nil, text: text, schemas: [("{type}", { _ in .bytes })])
        }
    }
}
