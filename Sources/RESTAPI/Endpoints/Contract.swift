// SPDX-License-Identifier: Apache-2.0

// What requests to an endpoint may have, and what they are answered.

import HTTPMessage
import JSON
import ObjectGraph

struct Contract: Sendable {
    /// What a request changes: an editing context, in memory, or the stores.
    enum Effect: Sendable { case nothing, draft, stores }
    /// How long a request may take: `rows` and `transfer` as long as a client sends or receives.
    enum Work: Sendable { case short, batch, rows, transfer }

    var takes: [Parameter] = []
    var body = Body.none
    /// The first one says which media types there are. Problems aren't among them.
    var answers: [Answer]
    /// The problems besides those of any request, and those that follow from the pattern, parameters and body.
    var problems: [SharedResponse] = []
    /// By default nothing for `GET`, and the stores for other methods.
    var changes: Effect?
    var work = Work.short
    /// The method that it is offered for, where that isn't allowed of the path above, and what it does to many objects.
    var insteadOf: (method: HTTPMethod, verb: String)?

    /// Objects are fetched.
    static let list = Contract(takes: .fetch, answers: [.list, .unchanged])
    /// An object is read.
    static let object = Contract(takes: .selection + [.ifNoneMatch, .ifMatch], answers: [.shown, .unchanged])
    /// The bytes of an attribute are changed.
    static func storedBytes(_ body: Body) -> Contract {
        Contract(takes: [.ifMatch], body: body, answers: [.stored], problems: [.unprocessable], work: .transfer)
    }
    /// An object is changed.
    static func change(
        _ body: Body = .none,
        also: [Parameter] = [],
        answers: [Answer] = [.written, .nothing]
    ) -> Contract {
        Contract(takes: [.dryRun, .ifMatch, .prefer] + also, body: body, answers: answers)
    }
    /// Many objects are changed.
    static func batch(_ body: Body, insteadOf: (method: HTTPMethod, verb: String)) -> Contract {
        Contract(
            takes: [.dryRun],
            body: body,
            answers: [.json(.batch, "What was done")],
            work: .batch,
            insteadOf: insteadOf
        )
    }

    func deadline(_ options: APIOptions) -> Duration? {
        switch work {
        case .short: options.deadline
        case .batch: options.batchDeadline
        case .rows, .transfer: nil
        }
    }
}

/// A schema of what stands in the pattern of an endpoint.
typealias PlacedSchema = @Sendable (DescribedPlace) -> JSONValue

extension Contract {
    struct Body: Sendable {
        /// Whether it is read while it comes.
        var isStreamed = false
        /// Whether there is something to send only of an entity that has objects of its own.
        var makesObjects = false
        /// How it gets the type that it must have.
        var typeHint = "Send Content-Type: application/json, as curl --json '{…}' does."
        /// What it can be answered with.
        var problems: [SharedResponse] = [
            .tooLarge, .unsupportedMediaType, .unprocessable, .notImplemented, .storeFull,
        ]
        var isRequired = true
        /// By their media types; none where the document has no body.
        var schemas: [(type: String, schema: PlacedSchema)] = []

        static let none = Body(problems: [])
        /// JSON, or nothing, that says nothing.
        static let empty = Body(problems: [.tooLarge, .unsupportedMediaType, .unprocessable])
        static let mergePatch = Body(
            schemas: ["application/json", "application/merge-patch+json"].map { ($0, { $0.reference(.patch) }) }
        )
        /// One new object, or several.
        static let newObjects = Body(makesObjects: true, schemas: [("application/json", { $0.newObjects })])
        /// Rows in an array or line by line.
        static let rows = Body(
            isStreamed: true,
            makesObjects: true,
            typeHint: "It is application/json, or application/x-ndjson for lines; curl --json '[…]' names the first.",
            schemas: [
                ("application/json", { .list(of: $0.reference(.row)) }),
                ("application/x-ndjson", { _ in ["type": "string", "description": "A row a line, of any number."] }),
            ]
        )
        static let bytes = Body(
            isStreamed: true,
            typeHint: "Name the type of the bytes; with curl, "
                + "-H 'Content-Type: application/octet-stream' --data-binary @FILE.",
            problems: [],
            schemas: [("application/octet-stream", { _ in .bytes })]
        )

        static func json(_ schema: @escaping PlacedSchema) -> Body { Body(schemas: [("application/json", schema)]) }

        /// JSON that can be left out.
        static func optional(_ schema: SharedSchema) -> Body {
            Body(
                problems: empty.problems,
                isRequired: false,
                schemas: [("application/json", { $0.reference(schema) })]
            )
        }
    }

    /// What is answered where nothing is wrong.
    struct Answer: Sendable {
        var status = 200
        /// The media types of which requests accept one; nil for whatever they accept.
        var accepted: [MediaType]? = [.json]
        /// What it is; by default the summary of the endpoint.
        var text: String?
        /// The header fields, by their names among the components; nil where none is described.
        var headers: [String]? = []
        /// By their media types; none where there is no content.
        var schemas: [(type: String, schema: PlacedSchema)] = []
        /// Whether the document says what can be done with the object then.
        var hasLinks = false

        static let nothing = Answer(status: 204, text: "Done", headers: nil)
        /// Nothing, whatever the client accepts.
        static let stored = Answer(status: 204, accepted: nil, text: "Done", headers: nil)
        static let unchanged = Answer(status: 304, text: "What the client has is still right", headers: nil)
        /// An object that is read.
        static let shown = json("The object", headers: ["etag"]) { $0.reference(.object, of: $0.shown) }
        /// What changing an object answers.
        static let written = json("The object as it is now, or as it would be", headers: ["etag"]) {
            $0.oneOrSeveral($0.resource)
        }
        /// What making an object answers.
        static let created = added(hasLinks: true)
        /// What a fetch answers, by what was asked for.
        static let list = Answer(
            accepted: AnswerFormat.allCases.map(\.mediaType),
            text: "A page of objects, or all of them as lines of JSON or as CSV",
            headers: ["etag", "link"],
            schemas: AnswerFormat.allCases.map { format in
                (format.mediaType.description, { format == .json ? $0.pageOrTable : ["type": "string"] })
            }
        )

        /// What making an object in a relationship answers.
        static func added(hasLinks: Bool = false) -> Answer {
            var answer = json("The new object, or all of them in order", status: 201, headers: ["etag", "location"]) {
                $0.oneOrSeveral($0.shown)
            }
            answer.hasLinks = hasLinks
            return answer
        }

        static func json(
            _ text: String? = nil,
            status: Int = 200,
            headers: [String] = [],
            schema: @escaping PlacedSchema
        ) -> Answer {
            Answer(status: status, text: text, headers: headers, schemas: [("application/json", schema)])
        }

        static func json(_ schema: SharedSchema, _ text: String? = nil, status: Int = 200) -> Answer {
            json(text, status: status) { $0.reference(schema) }
        }

        /// Text of a media type.
        static func text(_ text: String, _ type: MediaType) -> Answer {
            let schema: (String, PlacedSchema) = (type.description, { _ in ["type": "string"] })
            return Answer(accepted: [type], text: text, headers: nil, schemas: [schema])
        }

        /// The bytes of an attribute, of the media type that the model says.
        static func bytes(_ text: String, status: Int) -> Answer {
            Answer(status: status, accepted: nil, text: text, headers: nil, schemas: [("{type}", { _ in .bytes })])
        }
    }
}
