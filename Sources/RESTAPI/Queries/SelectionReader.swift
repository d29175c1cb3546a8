// SPDX-License-Identifier: Apache-2.0

// Reads `select=title,author.name` and `include=tags(sort=name,limit=5),author.company`.

import ObjectGraph
import ObjectModel
import Predicates
import SourceText

struct SelectionReader {
    let api: API
    /// Whether there is a search, so that highlights can be selected.
    var showsHighlights = false

    /// Combines both parameters: `select` lists properties, `include` embeds objects, which are shown completely unless
    /// `select` restricts them.
    func selection(
        of resource: Resource,
        select: String?,
        include: String?,
        arguments: inout PredicateArguments
    ) throws(Problem) -> Selection {
        var selection = Selection.all
        if let select { try self.select(select, at: 0, in: "select", of: resource, into: &selection) }
        if let include {
            for item in try items(include) {
                try embed(item.steps[...], of: resource, into: &selection, depth: 1, arguments: &arguments)
                try checkCount(selection)
            }
        }
        try checkCount(selection)
        return selection
    }

    private func checkCount(_ selection: Selection) throws(Problem) {
        guard selection.embeddingCount <= api.options.maximumIncludes else {
            throw Problem(
                .parameter,
                "\(selection.embeddingCount) relationships would be embedded; at most \(api.options.maximumIncludes) are allowed.",
                hint: "Embed fewer of them, or raise the setting includeCount of the server."
            )
        }
    }

    private func items(_ text: String) throws(Problem) -> [IncludeItem] {
        do throws(IncludeError) {
            return try IncludeItem.list(text)
        } catch {
            throw problem(
                "include",
                message: error.message,
                hint: error.hint ?? "Write it as tags(sort=name,limit=5),author.",
                at: error.position
            )
        }
    }

    // MARK: Select

    private func select(
        _ text: String,
        at start: Int,
        in parameter: String,
        of resource: Resource,
        into selection: inout Selection
    ) throws(Problem) {
        if selection.properties == nil { selection.properties = [] }
        let reader = KeyPathReader(catalogue: api.catalogue, resource: resource, parameter: parameter)
        for part in try reader.parts(text, atMost: 1_000) {
            var steps: [IncludeItem.Step] = []
            var position = start + part.position
            for name in part.text.split(separator: ".", omittingEmptySubsequences: false) {
                steps.append(IncludeItem.Step(name: String(name), position: position))
                position += name.unicodeScalars.count + 1
            }
            try select(steps[...], in: parameter, of: resource, into: &selection, depth: 1)
        }
    }

    private func select(
        _ steps: ArraySlice<IncludeItem.Step>,
        in parameter: String,
        of resource: Resource,
        into selection: inout Selection,
        depth: Int
    ) throws(Problem) {
        guard let step = steps.first else { return }
        if steps.count == 1, ["_id", "_entity", "_version"].contains(step.name) { return }
        if steps.count == 1, depth == 1, step.name == "_highlight" {
            guard showsHighlights, parameter == "select" else {
                throw problem(
                    parameter,
                    message: "“_highlight” returns the matches of a search, but the request has no search.",
                    hint: "Add “search”.",
                    at: step.position
                )
            }
            selection.showsHighlights = true
            return
        }
        let (property, owner) = try self.property(step, of: resource, parameter: parameter)
        switch property.property {
        case .attribute(let attribute):
            try select(property, attribute: attribute, rest: steps.dropFirst(), parameter: parameter, into: &selection)
        case .relationship(let relationship):
            let isReference =
                selection.shows(property) && !relationship.isToMany
                && selection.embedding(of: property.name) == nil
            selection.show(property)
            let rest = steps.dropFirst()
            guard !rest.isEmpty else {
                if relationship.isToMany {
                    _ = selection.place(of: property)
                } else if let place = selection.embedding(of: property.name) {
                    selection.embedded[place].isIncluded = true
                }
                return
            }
            try checkDepth(depth, at: step, parameter: parameter)
            let place = selection.place(of: property)
            if isReference { selection.embedded[place].isIncluded = true }
            var inner = selection.embedded[place].selection ?? .none
            if inner.properties == nil { inner.properties = [] }
            try select(
                rest,
                in: parameter,
                of: api.catalogue.destination(of: relationship),
                into: &inner,
                depth: depth + 1
            )
            selection.embedded[place].selection = inner
        case .fetched: throw fetched(property, of: owner, at: step, parameter: parameter)
        }
    }

    private func select(
        _ property: ResourceProperty,
        attribute: AttributeDescription,
        rest: ArraySlice<IncludeItem.Step>,
        parameter: String,
        into selection: inout Selection
    ) throws(Problem) {
        let isShown = selection.shows(property)
        selection.show(property)
        guard let step = rest.first else {
            selection.elements[property.name] = nil
            return
        }
        guard rest.count == 1, !attribute.elements.isEmpty else {
            throw problem(
                parameter,
                message: attribute.elements.isEmpty
                    ? "“\(property.name)” is of type \(attribute.type.name) and has no properties."
                    : "“\(property.name).\(step.name)” can only be selected as a whole.",
                at: step.position
            )
        }
        guard let element = attribute.elements.first(where: { ResourceProperty.name(of: $0.name) == step.name }) else {
            throw problem(
                parameter,
                message: "The composite \(attribute.type.name) has no element “\(step.name)”.",
                hint: Spelling.hint(
                    for: step.name,
                    among: attribute.elements.map { ResourceProperty.name(of: $0.name) }
                ),
                at: step.position
            )
        }
        // A completely selected property stays complete.
        if isShown, selection.elements[property.name] == nil { return }
        if selection.elements[property.name]?.contains(element) != true {
            selection.elements[property.name, default: []].append(element)
        }
    }

    // MARK: Include

    private func embed(
        _ steps: ArraySlice<IncludeItem.Step>,
        of resource: Resource,
        into selection: inout Selection,
        depth: Int,
        arguments: inout PredicateArguments
    ) throws(Problem) {
        guard let step = steps.first else { return }
        try checkDepth(depth, at: step, parameter: "include")
        let (property, owner) = try self.property(step, of: resource, parameter: "include")
        switch property.property {
        case .attribute:
            throw problem(
                "include",
                message: "“\(step.name)” is an attribute; “include” is for relationships.",
                hint: "Attributes are chosen with “select”.",
                at: step.position
            )
        case .fetched: throw fetched(property, of: owner, at: step, parameter: "include")
        case .relationship(let relationship):
            let place = selection.place(of: property)
            let destination = api.catalogue.destination(of: relationship)
            var embedding = selection.embedded[place]
            var inner = embedding.selection ?? .all
            if !step.options.isEmpty {
                guard embedding.options == nil else {
                    throw problem("include", message: "“\(step.name)” has options twice.", at: step.position)
                }
                embedding.options = try options(
                    step,
                    of: destination,
                    along: relationship,
                    into: &inner,
                    arguments: &arguments
                )
            }
            try embed(steps.dropFirst(), of: destination, into: &inner, depth: depth + 1, arguments: &arguments)
            embedding.selection = inner
            embedding.isIncluded = true
            selection.embedded[place] = embedding
        }
    }

    private func options(
        _ step: IncludeItem.Step,
        of destination: Resource,
        along relationship: RelationshipDescription,
        into selection: inout Selection,
        arguments: inout PredicateArguments
    ) throws(Problem) -> Selection.Options? {
        var options = Selection.Options()
        var seen: Set<String> = []
        for option in step.options {
            guard seen.insert(option.name).inserted else {
                throw problem("include", message: "The option “\(option.name)” is given twice.", at: option.position)
            }
            guard relationship.isToMany || option.name == "select" else {
                throw problem(
                    "include",
                    message: "“\(step.name)” is a to-one relationship, to which “\(option.name)” doesn't apply.",
                    at: option.position
                )
            }
            do throws(Problem) {
                try read(option, of: destination, into: &selection, options: &options, arguments: &arguments)
            } catch {
                var error = error
                error.position = error.position.map { option.position + $0 }
                throw error
            }
        }
        return relationship.isToMany ? options : nil
    }

    /// Positions in problems are relative to the option.
    private func read(
        _ option: IncludeItem.Option,
        of destination: Resource,
        into selection: inout Selection,
        options: inout Selection.Options,
        arguments: inout PredicateArguments
    ) throws(Problem) {
        switch option.name {
        case "where":
            options.predicate = try PredicateReader(api: api, resource: destination, text: option.value)
                .predicate(&arguments)
        case "sort":
            let paths = KeyPathReader(catalogue: api.catalogue, resource: destination, parameter: "include")
            options.sortDescriptors = try SortReader(paths: paths).descriptors(option.value)
        case "limit":
            guard let limit = Int(option.value), limit >= 0, limit <= api.options.maximumPageSize else {
                throw problem(
                    "include",
                    message:
                        "“limit” must be an integer from 0 to \(api.options.maximumPageSize), not “\(option.value)”.",
                    at: 0
                )
            }
            options.limit = limit
        default: try select(option.value, at: 0, in: "include", of: destination, into: &selection)
        }
    }

    // MARK: Names

    /// A property of a resource or of a subentity's resource.
    private func property(
        _ step: IncludeItem.Step,
        of resource: Resource,
        parameter: String
    ) throws(Problem) -> (ResourceProperty, Resource) {
        for kind in api.catalogue.model.kinds(of: resource.entity) {
            let resource = api.catalogue[kind]
            if let property = resource.property(named: step.name) { return (property, resource) }
        }
        throw problem(
            parameter,
            message: "\(resource.name) has no property “\(step.name)”.",
            hint: step.name.contains("(")
                ? IncludeItem.nestingHint : api.catalogue.hint(for: step.name, of: resource),
            at: step.position
        )
    }

    private func fetched(
        _ property: ResourceProperty,
        of resource: Resource,
        at step: IncludeItem.Step,
        parameter: String
    ) -> Problem {
        problem(
            parameter,
            message: "“\(step.name)” is a fetched property, which must be requested for each object.",
            hint: "Use GET \(api.catalogue.path(of: resource))/…/\(step.name).",
            at: step.position
        )
    }

    private func checkDepth(_ depth: Int, at step: IncludeItem.Step, parameter: String) throws(Problem) {
        guard depth <= api.options.maximumIncludeDepth else {
            throw problem(
                parameter,
                message: "Relationships can be embedded at most \(api.options.maximumIncludeDepth) levels deep.",
                at: step.position
            )
        }
    }

    private func problem(_ parameter: String, message: String, hint: String? = nil, at position: Int) -> Problem {
        var problem = Problem(.parameter, "In “\(parameter)”: \(message)", hint: hint)
        problem.position = position
        return problem
    }
}

extension Selection {
    fileprivate func shows(_ property: ResourceProperty) -> Bool {
        properties?.contains { $0.name == property.name } ?? false
    }

    fileprivate mutating func show(_ property: ResourceProperty) {
        if !shows(property) { properties?.append(property) }
    }

    /// The index of a relationship's embedding, which is added if necessary.
    fileprivate mutating func place(of property: ResourceProperty) -> Int {
        if let place = embedding(of: property.name) { return place }
        embedded.append(Embedding(property: property))
        return embedded.count - 1
    }
}
