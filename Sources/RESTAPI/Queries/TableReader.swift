// SPDX-License-Identifier: Apache-2.0

// Reads tables: `group=author&aggregate=posts:count(_id),top:max(views)&having=posts > 3`.

import Basics
import ObjectGraph
import ObjectModel
import Predicates
import SourceText

struct TableReader {
    let api: API
    let resource: Resource

    func table(
        select: String?,
        group: String?,
        aggregate: String?,
        having: String?,
        isDistinct: Bool,
        arguments: inout PredicateArguments
    ) throws(Problem) -> TablePlan {
        let grouped = try paths(group ?? "", parameter: "group")
        let selected = try select.map { (select) throws(Problem) in try paths(select, parameter: "select") }
        var columns = grouped.map(column)
        for path in selected ?? [] where !columns.contains(where: { $0.name == path.text }) {
            columns.append(column(path))
        }
        let calls = KeyPathReader(catalogue: api.catalogue, resource: resource, parameter: "aggregate")
        let aggregates = try calls.parts(aggregate ?? "", atMost: Self.maximumColumns).map { (part) throws(Problem) in
            try self.aggregate(part.text, at: part.position)
        }
        for column in aggregates {
            guard !columns.contains(where: { $0.name == column.name }) else {
                throw Problem(.parameter, "Two columns are named “\(column.name)”.", hint: "Give one of them an alias.")
            }
            columns.append(column)
        }
        if columns.isEmpty { columns = allAttributes }
        if !grouped.isEmpty || !aggregates.isEmpty { try check(selected ?? [], grouped) }
        var plan = TablePlan(columns: columns, groupBy: grouped.map(\.groupPath), isDistinct: isDistinct)
        if let having {
            guard !grouped.isEmpty else {
                throw Problem(
                    .parameter,
                    "“having” requires “group”.",
                    hint: "Conditions on objects belong in “where”."
                )
            }
            var reader = PredicateReader(api: api, resource: resource, text: having)
            reader.columns = plan.aliases(besides: grouped).mapValues { api.catalogue.described($0, of: resource) }
            plan.having = try reader.predicate(&arguments)
        }
        return plan
    }

    private func paths(_ text: String, parameter: String) throws(Problem) -> [ResolvedKeyPath] {
        let reader = KeyPathReader(catalogue: api.catalogue, resource: resource, parameter: parameter)
        var paths: [ResolvedKeyPath] = []
        for part in try reader.parts(text, atMost: Self.maximumColumns) {
            let path = try reader.path(part.text, at: part.position)
            guard !path.end.isMany else {
                throw reader.problem(
                    "“\(path.text)” has many values, but a column has one value per row.",
                    hint: "Reduce them to one, such as \(path.text).@count.",
                    at: part.position
                )
            }
            if !paths.contains(path) { paths.append(path) }
        }
        return paths
    }

    private func column(_ path: ResolvedKeyPath) -> TablePlan.Column {
        TablePlan.Column(
            name: path.text,
            expression: path.column,
            attribute: path.attribute,
            namesEntity: path.namesEntity
        )
    }

    private var allAttributes: [TablePlan.Column] {
        resource.properties.compactMap { property in
            guard let attribute = property.attribute, attribute.type != .binary else { return nil }
            return TablePlan.Column(name: property.name, expression: .keyPath(attribute.name), attribute: attribute)
        }
    }

    private func check(_ selected: [ResolvedKeyPath], _ grouped: [ResolvedKeyPath]) throws(Problem) {
        guard let other = selected.first(where: { path in !grouped.contains { $0.keys == path.keys } }) else { return }
        throw Problem(
            .parameter,
            "“\(other.text)” may have different values within a group.",
            hint: "Add it to “group”, or use an aggregate of it, such as max(\(other.text))."
        )
    }

    private static let maximumColumns = 100

    // MARK: Aggregates

    private static let functions: [(name: String, function: Function, isDistinct: Bool)] = [
        ("count", .count, false), ("countDistinct", .count, true), ("sum", .sum, false), ("average", .average, false),
        ("min", .minimum, false), ("max", .maximum, false),
    ]

    private func aggregate(_ text: String, at start: Int) throws(Problem) -> TablePlan.Column {
        let reader = KeyPathReader(catalogue: api.catalogue, resource: resource, parameter: "aggregate")
        let colon = text.firstIndex(of: ":")
        let alias = colon.map { text[..<$0] }
        let call = colon.map { text[text.index(after: $0)...] } ?? text[...]
        let position = start + text[..<call.startIndex].unicodeScalars.count
        guard let open = call.firstIndex(of: "("), call.last == ")", alias != "" else {
            throw reader.problem(
                "“\(text)” isn't an aggregate.",
                hint:
                    "Write it as posts:count(_id), with one of \(Self.functions.map(\.name).joined(separator: ", ")).",
                at: start
            )
        }
        let name = String(call[..<open])
        guard let (_, function, isDistinct) = Self.functions.first(where: { $0.name == name }) else {
            throw reader.problem(
                "There is no function “\(name)”.",
                hint: Spelling.hint(for: name, among: Self.functions.map(\.name))
                    ?? "Use one of \(Self.functions.map(\.name).joined(separator: ", ")).",
                at: position
            )
        }
        let inner = call[call.index(after: open)...].dropLast()
        let path = try reader.path(inner, at: position + name.unicodeScalars.count + 1)
        guard !path.end.isMany else {
            throw reader.problem(
                "“\(inner)” has many values, but \(name) takes one value per object.",
                hint: "Reduce them to one first, such as \(inner).@count.",
                at: position
            )
        }
        try check(path, function, name, reader, at: position)
        let operand: ObjectExpression =
            isDistinct
            ? .keyPath(of: .evaluatedObject, [.collection(.distinctUnionOfObjects)] + path.keys) : path.expression
        let keepsType =
            function == .minimum || function == .maximum || function == .sum && path.attribute?.type == .decimal
        return TablePlan.Column(
            name: alias.map(String.init) ?? text,
            expression: .function(function, [operand]),
            attribute: keepsType ? path.attribute : nil,
            namesEntity: path.namesEntity
        )
    }

    private func check(
        _ path: ResolvedKeyPath,
        _ function: Function,
        _ name: String,
        _ reader: KeyPathReader,
        at position: Int
    ) throws(Problem) {
        guard function != .count else { return }
        let isNumeric =
            switch path.end.kind {
            case .number, .unknown, .json: true
            case .attribute(let attribute):
                switch attribute.type {
                case .int16, .int32, .int64, .decimal, .double, .float, .bool, .transformable: true
                default: false
                }
            case .object, .text, .date: false
            }
        if case .object = path.end.kind {
            throw reader.problem("\(name) takes values, but “\(path.text)” is an object.", at: position)
        }
        guard isNumeric || function == .minimum || function == .maximum else {
            throw reader.problem("\(name) takes numbers, but “\(path.text)” isn't a number.", at: position)
        }
    }
}

extension TablePlan {
    /// The expressions of column names, except those that are grouped paths.
    func aliases(besides grouped: [ResolvedKeyPath]) -> [String: ObjectExpression] {
        let aliases = columns.filter { column in !grouped.contains { $0.text == column.name } }
        return Dictionary(keepingFirst: aliases.map { ($0.name, $0.expression) })
    }

    /// The expressions of all column names, for sorting.
    var aliases: [String: ObjectExpression] {
        Dictionary(keepingFirst: columns.map { ($0.name, $0.expression) })
    }
}

extension ResolvedKeyPath {
    /// The expression of a column. The object itself is represented by its ID.
    fileprivate var column: ObjectExpression { .keyPath(groupPath) }

    fileprivate var groupPath: String { keys.isEmpty ? "objectID" : modelPath }
}
