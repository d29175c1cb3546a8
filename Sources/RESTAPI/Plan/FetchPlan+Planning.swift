// SPDX-License-Identifier: Apache-2.0

// Plans a fetch by a request's parameters.

import HTTPMessage
import JSON
import ObjectGraph
import Predicates

extension FetchPlan {
    /// The parameters of fetches, except conditions.
    static let parameters = Contract.Parameter.fetch.map(\.name)

    /// The defaults of parameters, from a template or a path.
    struct Defaults {
        var source = Source.all
        /// The condition for members of a relationship.
        var membership: ObjectPredicate?
        var predicate: ObjectPredicate?
        var limit: Int?
        var result = Result.objects
        var isDistinct = false
        var includesSubentities = true
        var includesPendingChanges = true
        var format = AnswerFormat.json
        /// Names of parameters that have been read already.
        var names: [String] = []
    }

    /// A fetch by the parameters of a query.
    init(
        _ request: APIRequest,
        of resource: Resource,
        _ defaults: Defaults = Defaults(),
        without taken: Parameters? = nil,
        in api: API
    ) throws(Problem) {
        var parameters = taken ?? request.parameters
        let arguments = try parameters.readArguments()
        var defaults = defaults
        defaults.format = AnswerFormat(request.fields)
        let link = PageLink(path: request.target.path, items: request.target.query)
        try self.init(parameters, arguments, of: resource, defaults, link: link, in: api)
        ifNoneMatch = try Preconditions(request.fields).ifNoneMatch
    }

    init(
        _ all: Parameters,
        _ given: PredicateArguments,
        of resource: Resource,
        _ defaults: Defaults,
        link: PageLink,
        in api: API
    ) throws(Problem) {
        var parameters = all
        var arguments = given
        self.resource = resource
        self.link = link
        source = defaults.source
        format = defaults.format
        let words = try parameters.read("search")
        if let words { search = try Search(words, of: resource, in: api) }
        result = try parameters.readChoice("result") ?? defaults.result
        countsAll = try parameters.readFlag("count") ?? false
        isExplained = try parameters.readFlag("explain") ?? false
        try checkFormat()
        includesSubentities = try parameters.readFlag("includeSubentities") ?? defaults.includesSubentities
        includesPendingChanges = try parameters.readFlag("includePending") ?? defaults.includesPendingChanges
        let cursor = try parameters.read("cursor")
        try readWindow(&parameters, defaults: defaults, hasCursor: cursor != nil, options: api.options)
        var conditions = [defaults.predicate, api.catalogue.visibility(of: resource)].compactMap(\.self)
        if words != nil, search == nil { conditions.append(.constant(false)) }
        if let text = try parameters.read("where") {
            conditions.append(try PredicateReader(api: api, resource: resource, text: text).predicate(&arguments))
        }
        try readSelection(&parameters, arguments: &arguments, defaults: defaults, isSearched: words != nil, in: api)
        conditions += try parameters.readConditions(of: resource, knowing: Self.parameters + defaults.names, in: api)
        if case .members = source, let membership = defaults.membership { conditions.insert(membership, at: 0) }
        if case .ordered = source { membership = defaults.membership }
        predicate = conditions.isEmpty ? nil : .all(of: conditions)
        try arguments.refuseUnread()
        if let cursor {
            if table?.combinesObjects == true { throw Self.noCursor }
            self.cursor = try readCursor(cursor, in: api)
        }
    }

    /// Streams only have rows; other information needs JSON.
    private func checkFormat() throws(Problem) {
        guard format != .json else { return }
        let parameter = result == .count ? "result=count" : isExplained ? "explain" : countsAll ? "count" : nil
        guard let parameter else { return }
        throw Problem(
            .notAcceptable,
            "“\(parameter)” is available only as \(MediaType.json).",
            hint: "Omit it, or request JSON."
        )
    }

    private mutating func readWindow(
        _ parameters: inout Parameters,
        defaults: Defaults,
        hasCursor: Bool,
        options: APIOptions
    ) throws(Problem) {
        let asked = try parameters.readNumber("limit")
        if let asked, asked > options.maximumPageSize, format == .json {
            throw Problem(.parameter, "“limit” must be at most \(options.maximumPageSize), not \(asked).")
        }
        if format != .json, let most = options.streamedRowLimit, asked ?? defaults.limit ?? .max > most {
            throw Problem(
                .parameter,
                "“limit” must be at most \(most), not \(asked.map(String.init) ?? "missing").",
                hint: "Use limit=\(most), and “offset” for what follows."
            )
        }
        let skipped = try parameters.readNumber("offset")
        offset = skipped ?? 0
        let isPage = result != .count && format == .json
        limit = asked ?? defaults.limit ?? (isPage ? options.pageSize : nil)
        // A template's own limit bounds the whole result.
        if asked == nil, defaults.limit != nil { link = nil }
        guard hasCursor else { return }
        guard skipped == nil else {
            throw Problem(
                .parameter,
                "“cursor” and “offset” can't be combined.",
                hint: "Use one of them."
            )
        }
        if result == .count { throw Self.noCursor }
    }

    private static let noCursor = Problem(
        .parameter,
        "“cursor” requires result=objects, result=ids, or result=dictionary without “group”, “aggregate” and “distinct”.",
        hint: "Use “offset”."
    )

    /// Reads the parameters for sorting and selection.
    private mutating func readSelection(
        _ parameters: inout Parameters,
        arguments: inout PredicateArguments,
        defaults: Defaults,
        isSearched: Bool,
        in api: API
    ) throws(Problem) {
        let select = try parameters.read("select")
        let include = try parameters.read("include")
        let group = try parameters.read("group")
        let aggregate = try parameters.read("aggregate")
        let having = try parameters.read("having")
        let distinct = try parameters.readFlag("distinct")
        let sort = try parameters.read("sort")
        var order = SortReader(paths: KeyPathReader(catalogue: api.catalogue, resource: resource, parameter: "sort"))
        if result == .dictionary {
            try Self.refuse(["include": include], with: "result=objects")
            let table = try TableReader(api: api, resource: resource).table(
                select: select,
                group: group,
                aggregate: aggregate,
                having: having,
                isDistinct: distinct ?? defaults.isDistinct,
                arguments: &arguments
            )
            self.table = table
            order.columns = table.aliases
        } else {
            let others = [
                "group": group, "aggregate": aggregate, "having": having, "distinct": distinct.map { "\($0)" },
            ]
            try Self.refuse(others, with: "result=dictionary")
            if result != .objects { try Self.refuse(["select": select, "include": include], with: "result=objects") }
            selection = try SelectionReader(api: api, showsHighlights: isSearched).selection(
                of: resource,
                select: select,
                include: include,
                arguments: &arguments
            )
            selection.isPortable = format != .json
        }
        sortDescriptors = try sort.map { (sort) throws(Problem) in try order.descriptors(sort) } ?? []
        // An ordered relationship's own order applies unless the request has another.
        guard case .ordered(let owner, let relationship) = source else { return }
        if sort != nil || search != nil || (result != .objects && result != .ids) {
            source = relationship.inverse == nil ? .oneWay(of: owner, relationship) : .members(of: owner, relationship)
        }
    }

    private static func refuse(_ parameters: [String: String?], with result: String) throws(Problem) {
        guard let name = parameters.filter({ $0.value != nil }).keys.min() else { return }
        throw Problem(.parameter, "“\(name)” requires \(result).")
    }

    private func readCursor(_ text: String, in api: API) throws(Problem) -> Cursor {
        let count = if case .ordered = source { 2 } else { request.sortKeyCount }
        guard let cursor = Cursor(text, of: binding(in: api.names)), cursor.keys.count == count else {
            throw Problem(
                .parameter,
                "The cursor doesn't belong to this list.",
                hint: "Use the one in “next”, with the same conditions and the same order."
            )
        }
        return cursor
    }
}

extension FetchPlan {
    /// The request to the stores.
    var request: FetchRequest<ManagedObject> {
        let conditions = [membership, predicate].compactMap(\.self)
        var request = FetchRequest<ManagedObject>(resource.entity.name)
        request.predicate = conditions.isEmpty ? nil : .all(of: conditions)
        request.sortDescriptors = sortDescriptors
        request.search = search
        request.fetchLimit = limit ?? 0
        request.fetchOffset = offset
        request.includesSubentities = includesSubentities
        request.includesPendingChanges = includesPendingChanges
        if let table {
            request.propertiesToFetch = table.columns.map { ExpressionDescription($0.name, $0.expression) }
            request.propertiesToGroupBy = table.groupBy
            request.havingPredicate = table.having
            request.returnsDistinctResults = table.isDistinct
        }
        return request
    }

    /// The same request for rows that each belong to one object, whose ID is the last column.
    var rowRequest: FetchRequest<ManagedObject> {
        var request = request
        request.propertiesToFetch.append(ExpressionDescription("\u{0}", .keyPath("objectID")))
        return request
    }

    /// What a cursor is valid for: the same order and the same objects. An object that was new in a draft is the same
    /// after the save.
    func binding(in names: ObjectIDResolver) -> String {
        let order = sortDescriptors.map(\.description).joined(separator: ",")
        let predicate = predicate.map { TemporaryNaming(names).names($0).description } ?? ""
        let source: String =
            switch source {
            case .all: ""
            case .members(let owner, let relationship), .ordered(let owner, let relationship),
                .oneWay(let owner, let relationship):
                "\(owner.resource.entity.name)/\(owner.key)/\(relationship.name)"
            case .fetched(let owner, let property): "\(owner.resource.entity.name)/\(owner.key)/\(property.name)"
            }
        let parts = [resource.entity.name, source, "\(includesSubentities)", predicate, order]
        return (parts + [search?.query.text].compactMap(\.self)).joined(separator: "\u{0}")
    }
}
