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
        /// Whether it is described once, among the document's components.
        private(set) var isShared = false
        let examples: @Sendable (ParameterExamples) -> JSONValue

        init(
            _ name: String,
            _ form: Form,
            _ text: String? = nil,
            in place: Place = .query,
            examples: @escaping @Sendable (ParameterExamples) -> JSONValue = { _ in .null }
        ) {
            self.name = name
            self.form = form
            self.text = text
            self.place = place
            self.examples = examples
        }

        private static func shared(_ name: String, _ form: Form, _ text: String, in place: Place = .query) -> Parameter
        {
            var parameter = Parameter(name, form, text, in: place)
            parameter.isShared = true
            return parameter
        }

        var acceptsAnyName: Bool {
            switch form {
            case .conditions, .undescribed: true
            default: false
            }
        }

        /// Whether the parameter doesn't exist in editing contexts.
        var isExcludedFromContexts: Bool { name == "keepIds" }

        /// The name among the components: `ifMatch` for `If-Match`.
        var component: String { name.prefix(1).lowercased() + name.dropFirst().filter { $0 != "-" } }

        /// The problems that the parameter can cause.
        var problems: [SharedResponse] {
            switch name {
            case "dryRun": [.conflict, .unprocessable]
            case "If-Match": [.preconditionFailed]
            case "Range": [.rangeNotSatisfiable]
            default: []
            }
        }
    }
}

extension Contract.Parameter {
    /// The parameters of fetches except variables and conditions. Bodies have them too.
    static let fetch = [
        Self("where", .text, "A predicate in the predicate format.", examples: \.predicates),
        shared("arg", .schema(.list(of: string)), "What the placeholders of predicates stand for, in their order."),
        Self("sort", .paths, "Key paths, `-` for descending.", examples: \.orders),
        Self("limit", .limit, "How many objects a page has."), shared("offset", .count, "How many objects to skip."),
        shared("cursor", .text, "Where a page begins: comes from `next`."),
        Self("select", .paths, "Key paths to return: `title,author.name`.", examples: \.paths),
        Self("include", .paths, "Relationships whose objects are embedded.", examples: \.relationships),
        shared("count", .flag, "Adds `total`."),
        Self("result", .result, "What comes: objects, references, their number, or rows of values."),
        Self("group", .paths, "What rows are grouped by, with `result=dictionary`.", examples: \.paths),
        Self("aggregate", .paths, "Aggregates of rows: `n:count(_id)`.") { _ in ["n:count(_id)"] },
        Self("having", .text, "A predicate on groups.") { _ in ["n > 1"] },
        shared("distinct", .flag, "Rows that differ, with `result=dictionary`."),
        shared("includeSubentities", .flag, "Whether objects of entities below count; they do by default."),
        shared("includePending", .flag, "Whether changes that aren't saved count, in an editing context."),
        shared("explain", .flag, "Tells how the stores would do it, instead of doing it."),
        Self("search", .words, searchText),
    ]

    private static let searchText =
        "Words to be found, best match first: `core dat* OR \"object graph\" NOT swift`. With it `select` takes `_highlight`."

    // MARK: Paths

    static let key = shared("key", .key, "The object's number.", in: .path)
    static let target = Self("target", .key, "The other object's number.", in: .path)
    static let context = Self(
        "context",
        .schema(string(matching: "^c[1-9][0-9]*$")),
        "The context's name, as `c1`.",
        in: .path
    )

    // MARK: Writing

    static let dryRun = shared("dryRun", .flag, "Validates and answers what would happen, and saves nothing.")
    static let at = Self("at", .index, "Its place in the order.")
    static let batchInsert = [
        Self(
            "chunk",
            .schema(JSONValue.count.with("minimum", 1)),
            "Commits every so many rows. | Nothing is committed here; the rows are one change."
        ), Self("max", .count, "How many rows there may be at most."), dryRun,
        Self("result", .schema(["type": "string", "enum": ["count", "ids", "status"]])), prefer,
        Self("keepIds", .flag, "New objects keep the numbers in `_id` that were never given to others."),
    ]

    // MARK: Header fields

    static let ifMatch = shared(
        "If-Match",
        .schema(tags),
        "The ETag of the version that the change goes out from, or `*`.",
        in: .header
    )
    static let ifNoneMatch = shared("If-None-Match", .schema(tags), "ETags of what the client has.", in: .header)
    static let prefer = shared(
        "Prefer",
        .schema(string.with("examples", ["return=minimal", "return=changes", "merge=overwrite"])),
        "`return=minimal|representation|changes`; `merge=error|store|object|overwrite|rollback`.",
        in: .header
    )
    static let idempotencyKey = shared(
        "Idempotency-Key",
        .schema(string(matching: "^[!-~]{1,255}$")),
        "A new one for each new request; a repeat with it gets the first answer, and does nothing again.",
        in: .header
    )
    static let range = Self("Range", .text, "Such as `bytes=0-99`.", in: .header)

    private static let string: JSONValue = ["type": "string"]
    private static let tags = string(matching: #"^(?:\*|(?:W/)?"[!#-~]*"(?:, ?(?:W/)?"[!#-~]*")*)$"#)
        .with("examples", ["\"3\"", "*"])

    private static func string(matching pattern: String) -> JSONValue { string.with("pattern", .string(pattern)) }

    /// The parameters that are components of the document.
    static let components = [key] + fetch.filter(\.isShared) + [dryRun, ifMatch, ifNoneMatch, prefer, idempotencyKey]
}

/// Groups of parameters.
extension [Contract.Parameter] {
    /// Selects objects and what to show of them.
    static var fetch: Self { [Element("", .variables)] + Element.fetch + [Element("", .conditions), .ifNoneMatch] }

    /// Selects what to show of an object.
    static var selection: Self {
        ["select", "include", "arg"].compactMap { name in Element.fetch.first { $0.name == name } }
    }

    static var undescribed: Self { [Element("", .undescribed)] }
}
