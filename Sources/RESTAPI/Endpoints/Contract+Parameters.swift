// SPDX-License-Identifier: Apache-2.0

// The parameters of requests, which are checked and described.

import JSON
import ObjectGraph

extension Contract {
    struct Parameter: Sendable {
        enum Place: String, Sendable { case query, header, path }

        /// The type of the values, in a query and in the body of a fetch.
        enum Form: Sendable {
            case text, words, paths, flag, count, limit, result
            /// The key of an object; a position in the order of a relationship.
            case key, index
            case schema(JSONValue)
            /// A parameter for each variable of a query; any key path and a value to compare with; any name, not
            /// described.
            case variables, conditions, undescribed
        }

        let name: String
        let form: Form
        /// A description. A different one for editing contexts follows a bar.
        let text: String?
        let place: Place
        /// The name among the document's components; nil if it is described with each operation.
        private(set) var component: String?
        let examples: JSONValue

        init(
            _ name: String,
            _ form: Form,
            _ text: String? = nil,
            in place: Place = .query,
            examples: JSONValue = .null
        ) {
            self.name = name
            self.form = form
            self.text = text
            self.place = place
            self.examples = examples
        }

        private static func shared(
            _ name: String,
            _ form: Form,
            _ text: String,
            in place: Place = .query,
            as component: String? = nil,
            examples: JSONValue = .null
        ) -> Parameter {
            var parameter = Parameter(name, form, text, in: place, examples: examples)
            // `ifMatch` for `If-Match`.
            parameter.component = component ?? name.prefix(1).lowercased() + name.dropFirst().filter { $0 != "-" }
            return parameter
        }

        var acceptsAnyName: Bool {
            switch form {
            case .conditions, .undescribed: true
            default: false
            }
        }

        /// Whether the parameter doesn't exist in editing contexts.
        var isExcludedFromContexts: Bool { ["keepIds", "asOf"].contains(name) }

        /// The problems that the parameter can cause.
        var problems: [ProblemStatus] {
            switch name {
            case "dryRun": [.conflict, .unprocessable]
            case "If-Match": [.preconditionFailed]
            case "Range": [.rangeNotSatisfiable]
            case "Accept-Model": [.conflict]
            default: []
            }
        }
    }
}

extension Contract.Parameter {
    /// The parameters of fetches except variables and conditions. Bodies have them too.
    static let fetch = [
        shared("where", .text, "A predicate in Core Data's format.", examples: ["_id != nil"]),
        shared("arg", .schema(.list(of: string)), "The values of the predicates' placeholders, in order."),
        shared("sort", .paths, "Key paths, `-` for descending.", examples: ["-_id"]),
        shared("limit", .limit, "The number of objects on a page."),
        shared("offset", .count, "The number of objects to skip."),
        shared("cursor", .text, "The start of the page, from `next`."),
        shared("select", .paths, "Key paths to return: `title,author.name`."),
        shared("include", .paths, "The relationships whose objects to embed."),
        shared("count", .flag, "Adds `total`."),
        shared("result", .result, "What to return: objects, references, their number, or rows of values."),
        shared("group", .paths, "The key paths to group rows by, with `result=dictionary`.", examples: ["_entity"]),
        shared("aggregate", .paths, "Aggregates of rows: `n:count(_id)`.", examples: ["n:count(_id)"]),
        shared("having", .text, "A predicate on groups.", examples: ["n > 1"]),
        shared("distinct", .flag, "Whether to omit duplicate rows, with `result=dictionary`."),
        shared("includeSubentities", .flag, "Whether to include objects of subentities; true by default."),
        shared("includePending", .flag, "Whether to include unsaved changes, in an editing context; true by default."),
        shared("explain", .flag, "Returns how the stores would execute the fetch, instead of its result."),
        shared("search", .words, searchText),
    ]

    static let section = shared("section", .paths, "The key path whose values divide the list into sections.")

    private static let searchText =
        "The words to find, best match first: `core dat* OR \"object graph\" NOT swift`. `select` can then have `_highlight`."

    // MARK: Paths

    static let key = shared("key", .key, "The object's number.", in: .path)
    static let target = shared("target", .key, "The other object's number.", in: .path)
    static let context = shared(
        "context",
        .schema(string(matching: "^c[1-9][0-9]*$")),
        "The context's name, such as `c1`.",
        in: .path
    )

    // MARK: History

    /// Selects transactions and changes.
    static let history =
        [
            Self("entity", .schema(.list(of: string)), "The entities whose changes to return."),
            Self("object", .text, "The object whose changes to return, such as `posts/7`."),
        ] + objectHistory

    static let objectHistory = [
        shared("since", .text, "The token behind which to begin; without it, everything that is kept."),
        shared("author", .text, "The author of the transactions."),
        shared("from", .schema(date), "The earliest time of the transactions."),
        shared("until", .schema(date), "The time before which the transactions were made."),
        shared(
            "kind",
            .schema(.list(of: ["type": "string", "enum": ["inserted", "updated", "deleted"]])),
            "The kinds of changes."
        ),
        shared("limit", .schema(historyLimit), "The number of transactions.", as: "historyLimit"),
    ]

    static let before = Self("before", .text, "The token up to which transactions are removed.")
    static let consumer = shared("consumer", .text, "The consumer's name.", in: .path)
    static let hook = shared("hook", .text, "The hook's name.", in: .path)
    static let deadLetter = Self("delivery", .text, "The ID of a dead letter.", in: .path)
    static let delivery = Self("delivery", .text, "The ID of a dead letter; all of them without it.")
    static let lastEventID = shared(
        "Last-Event-ID",
        .text,
        "The last event that the client has received.",
        in: .header
    )
    static let asOf = shared(
        "asOf",
        .text,
        "A token of the history: returns the object as it was then, where nothing requested has changed since."
    )

    private static let date: JSONValue = ["type": "string", "format": "date-time"]
    private static let historyLimit: JSONValue = [
        "type": "integer", "minimum": 0, "maximum": .integer(HistoryPlan.maximumLimit),
    ]

    // MARK: Writing

    static let dryRun = shared("dryRun", .flag, "Validates, returns what would happen, and saves nothing.")
    static let at = Self("at", .index, "The object's index in the relationship.")
    static let batchInsert = [
        shared(
            "chunk",
            .schema(JSONValue.count.with("minimum", 1)),
            "Commits each time that this many rows were inserted. | Has no effect; nothing is committed in a context."
        ), shared("max", .count, "The maximum number of rows."), dryRun,
        shared(
            "result",
            .schema(["type": "string", "enum": ["count", "ids", "status"]]),
            "What to return.",
            as: "batchResult"
        ), prefer, shared("keepIds", .flag, "New objects keep the numbers in `_id` that were never assigned."),
    ]

    // MARK: Header fields

    static let ifMatch = shared(
        "If-Match",
        .schema(tags),
        "The ETag of the version that the change is based on, or `*`.",
        in: .header
    )
    static let ifNoneMatch = shared(
        "If-None-Match",
        .schema(tags),
        "The ETags of the versions that the client has.",
        in: .header
    )
    static let prefer = shared(
        "Prefer",
        .schema(string.with("examples", ["return=minimal", "return=changes", "merge=overwrite"])),
        "`return=minimal|representation|changes`; `merge=error|store|object|overwrite|rollback`.",
        in: .header
    )
    static let idempotencyKey = shared(
        "Idempotency-Key",
        .schema(string(matching: "^[!-~]{1,255}$")),
        "A new key for each new request; a repeat returns the first answer, and changes nothing.",
        in: .header
    )
    static let acceptModel = shared(
        "Accept-Model",
        .text,
        "The version of the model that the client was built for, as `Model-Version` had it, or by its name or identifier.",
        in: .header
    )
    static let range = shared("Range", .text, "Such as `bytes=0-99`.", in: .header)

    private static let string: JSONValue = ["type": "string"]
    private static let tags = string(matching: #"^(?:\*|(?:W/)?"[!#-~]*"(?:, ?(?:W/)?"[!#-~]*")*)$"#)
        .with("examples", ["\"3\"", "*"])

    private static func string(matching pattern: String) -> JSONValue { string.with("pattern", .string(pattern)) }

    /// The parameters that can be components of the document.
    static let components =
        [key, target, context, consumer, hook] + fetch + [section, lastEventID, asOf] + objectHistory + batchInsert + [
            ifMatch, ifNoneMatch, idempotencyKey, acceptModel, range,
        ]
}

/// Groups of parameters.
extension [Contract.Parameter] {
    /// Selects objects and what to show of them.
    static var fetch: Self { [Element("", .variables)] + Element.fetch + [Element("", .conditions), .ifNoneMatch] }

    /// Selects objects to watch and what to show of them.
    static var live: Self {
        let fetch = Element.fetch.filter { !["cursor", "explain"].contains($0.name) }
        return [Element("", .variables)] + fetch + [Element("", .undescribed), .section, .lastEventID]
    }

    /// Selects what to show of an object.
    static var selection: Self {
        ["select", "include", "arg"].compactMap { name in Element.fetch.first { $0.name == name } }
    }

    static var undescribed: Self { [Element("", .undescribed)] }
}
