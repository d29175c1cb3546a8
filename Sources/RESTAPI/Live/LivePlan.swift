// SPDX-License-Identifier: Apache-2.0

// Plans a live query: `GET /api/{E}/live`.

import ObjectGraph
import ObjectModel
import Predicates

/// A fetch whose result is kept up to date.
struct LivePlan: Equatable, Sendable {
    /// Divides a list into sections of objects with the same value.
    struct Section: Equatable, Sendable {
        let keyPath: ObjectExpression
        let attribute: AttributeDescription
    }

    let fetch: FetchPlan
    let section: Section?

    init(_ request: APIRequest, of resource: Resource, in api: API) throws(Problem) {
        var parameters = request.parameters
        try Self.refuse("cursor", "A live list begins at “offset”.", in: &parameters)
        try Self.refuse("explain", "The list itself has “explain”.", in: &parameters)
        let path = try parameters.read("section")
        var fetch = try FetchPlan(request, of: resource, without: parameters, in: api)
        section = try path.map { path throws(Problem) in try Self.section(path, of: &fetch, in: api) }
        // Requests for the same list share its work, however they were written.
        fetch.link = nil
        fetch.ifNoneMatch = nil
        self.fetch = fetch
    }

    private static func refuse(_ name: String, _ hint: String, in parameters: inout Parameters) throws(Problem) {
        guard try parameters.read(name) != nil else { return }
        throw Problem(.parameter, "A live query can't have “\(name)”.", hint: hint)
    }

    /// Sections follow the order of the list. Without another one, it is sorted by their key path.
    private static func section(_ text: String, of fetch: inout FetchPlan, in api: API) throws(Problem) -> Section {
        let paths = KeyPathReader(catalogue: api.catalogue, resource: fetch.resource, parameter: "section")
        let path = try paths.path(text)
        guard fetch.result == .objects else {
            throw Problem(.parameter, "“section” requires result=objects.")
        }
        guard let attribute = path.attribute, attribute.elements.isEmpty else {
            throw Problem(
                .parameter,
                "“\(text)” can't name sections.",
                hint: "Use an attribute with one value per object, such as author.name."
            )
        }
        if fetch.sortDescriptors.isEmpty, fetch.search == nil {
            fetch.sortDescriptors = [ObjectSortDescriptor(path.expression, ascending: true)]
        }
        guard let first = fetch.sortDescriptors.first, first.keyPath == path.expression, first.options.isEmpty else {
            throw Problem(
                .parameter,
                "A list with sections is sorted by “\(text)” first.",
                hint: "Use sort=\(text),… without options for “\(text)”."
            )
        }
        return Section(keyPath: path.expression, attribute: attribute)
    }
}
