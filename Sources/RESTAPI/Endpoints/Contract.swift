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

    var parameters: [Parameter] = []
    var body = Body.none
    /// The first one determines the acceptable media types. Problems aren't included.
    var answers: [Answer]
    /// The problems, except those of any request, and those implied by the pattern, parameters and body.
    var problems: [SharedResponse] = []
    /// By default nothing for `GET`, and the stores for other methods.
    var changes: Effect?
    var work = Work.short
    /// The method of the parent path that this endpoint replaces for many objects, and a verb for it.
    var insteadOf: (method: HTTPMethod, verb: String)?
    var admission = Admission.administration
    /// Whether the endpoint exists only if there are accounts. Its requests and answers have secrets, so that no answer is
    /// stored for repeats.
    var isOfAccounts = false

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
            answers: [.json(.batch, "The result")],
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
        var problems: [SharedResponse] = [
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
        /// The media types to negotiate, or nil to ignore what the request accepts.
        var accepted: [MediaType]? = [.json]
        /// A description; by default the endpoint's summary.
        var text: String?
        /// Header fields by their names among the components; nil if none is described.
        var headers: [String]? = []
        /// By media type; empty if there is no content.
        var schemas: [(type: String, schema: PathSchema)] = []
        /// Whether the document links operations on the object.
        var hasLinks = false

        static let nothing = Answer(status: 204, text: "Done", headers: nil)
        /// No content, whatever the client accepts.
        static let stored = Answer(status: 204, accepted: nil, text: "Done", headers: nil)
        static let unchanged = Answer(status: 304, text: "The client's version is current", headers: nil)
        /// The response to reading an object.
        static let shown = json("The object", headers: ["etag"]) { $0.reference(.object, of: $0.shown) }
        /// The response to changing an object.
        static let written = json(
            "The object after the change, or after the change that a dry run tries",
            headers: ["etag"]
        ) {
            $0.oneOrSeveral($0.resource)
        }
        /// The response to inserting an object.
        static let created = added(hasLinks: true)
        /// The response to a fetch, by format.
        static let list = Answer(
            accepted: AnswerFormat.allCases.map(\.mediaType),
            text: "A page of objects, or all objects as lines of JSON or as CSV",
            headers: ["etag", "link"],
            schemas: AnswerFormat.allCases.map { format in
                (format.mediaType.description, { format == .json ? $0.pageOrTable : ["type": "string"] })
            }
        )

        /// The response to inserting an object into a relationship.
        static func added(hasLinks: Bool = false) -> Answer {
            var answer = json(
                "The new object, or all new objects in order",
                status: 201,
                headers: ["etag", "location"]
            ) {
                $0.oneOrSeveral($0.shown)
            }
            answer.hasLinks = hasLinks
            return answer
        }

        static func json(
            _ text: String? = nil,
            status: Int = 200,
            headers: [String] = [],
            schema: @escaping PathSchema
        ) -> Answer {
            Answer(status: status, text: text, headers: headers, schemas: [("application/json", schema)])
        }

        static func json(_ schema: SharedSchema, _ text: String? = nil, status: Int = 200) -> Answer {
            json(text, status: status) { $0.reference(schema) }
        }

        /// Text with a media type.
        static func text(_ text: String, _ type: MediaType) -> Answer {
            let schema: (String, PathSchema) = (type.description, { _ in ["type": "string"] })
            return Answer(accepted: [type], text: text, headers: nil, schemas: [schema])
        }

        /// The bytes of an attribute, with its media type in the model.
        static func bytes(_ text: String, status: Int) -> Answer {
            Answer(status: status, accepted: nil, text: text, headers: nil, schemas: [("{type}", { _ in .bytes })])
        }
    }
}
