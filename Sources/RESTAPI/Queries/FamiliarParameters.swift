// SPDX-License-Identifier: Apache-2.0

// Hints for parameters that other APIs have.

/// What to use instead of parameters that this API doesn't have.
enum FamiliarParameters {
    private static let pages =
        "Use limit for the size of a page, such as limit=20, and the answer's “next” for the page after it."

    /// The hint for a name, in lower case and without separators, and the parameter that it suggests.
    private static let hints: [(names: [String], parameter: String, hint: String)] = [
        (["page", "pagenumber", "pageno", "pageindex", "p"], "limit", pages),
        (
            ["perpage", "pagesize", "size", "take", "top", "max", "maxresults", "rows", "itemsperpage", "n"], "limit",
            "Use limit, such as limit=20."
        ),
        (["skip", "start", "startindex"], "offset", "Use offset, such as offset=20, or follow the answer's “next”."),
        (
            ["after", "pagetoken", "continue", "startafter"], "cursor",
            "Follow the answer's “next”, which has a cursor."
        ),
        (
            ["fields", "field", "columns", "only", "properties", "projection", "attributes"], "select",
            "Use select, such as select=title,author.name."
        ),
        (
            ["filter", "filters", "condition", "predicate", "criteria", "conditions"], "where",
            "Use where with a predicate, such as where=views > 3, or a property's name for equality: title=News."
        ),
        (
            ["q", "query", "text", "keyword", "keywords", "term", "find", "fulltext"], "search",
            "Use search for words in searchable texts, or where for a predicate: where=title CONTAINS[cd] \"news\"."
        ),
        (
            [
                "order", "orderby", "ordering", "sortby", "sorting", "sortorder", "direction", "dir", "desc", "asc",
                "sortdir",
            ], "sort", "Use sort, such as sort=-createdAt,title; a minus means descending."
        ),
        (
            ["expand", "populate", "embed", "with", "join", "relations", "relationships", "includes"], "include",
            "Use include, such as include=author,tags."
        ),
        (["groupby"], "group", "Use result=dictionary&group=… with aggregate=n:count(_id)."),
        (
            ["format", "output", "accept"], "where",
            "Send the header Accept: text/csv for CSV, application/x-ndjson for JSON lines."
        ),
        (["total", "totalcount", "includetotal", "withcount"], "count", "Use count=true, which adds “total”."),
    ]

    private static let operators = [
        "eq", "ne", "gt", "gte", "lt", "lte", "in", "like", "ilike", "contains", "startswith",
    ]

    /// - Parameter known: The parameters that the request may have.
    static func hint(for name: String, knowing known: [String]) -> String? {
        let plain = name.lowercased().filter { $0.isLetter || $0.isNumber }
        if let match = hints.first(where: { $0.names.contains(plain) && known.contains($0.parameter) }) {
            return match.hint
        }
        guard known.contains("where"), isComparison(name.lowercased()) else { return nil }
        return "A name is compared for equality only. Use where for other comparisons: where=views > 3."
    }

    /// Whether a name has an operator in it, such as `views>3`, `views[gt]` or `views__gte`.
    private static func isComparison(_ name: String) -> Bool {
        if name.contains(where: { "<>!~[]".contains($0) }) { return true }
        return operators.contains { name.hasSuffix("_" + $0) }
    }
}
