// SPDX-License-Identifier: Apache-2.0

// From a path to a route.

import HTTPMessage
import ObjectGraph
import ObjectModel
import SourceText

extension Catalogue {
    /// The route of a path; nil where the API has nothing to do with it.
    func route(_ segments: [String]) throws(Problem) -> Route? {
        switch segments.first {
        case "healthz" where segments.count == 1: return .health
        case "readyz" where segments.count == 1: return .readiness
        case "metrics" where segments.count == 1: return .metrics
        case "openapi.json" where segments.count == 1: return .openAPI
        case "schemas" where segments.count == 2: return .schema(try resource(segments[1]))
        case "problems" where segments.count <= 2: return .problem(segments.count == 2 ? segments[1] : nil)
        case "api": return try apiRoute(segments.dropFirst())
        default: return nil
        }
    }

    private func apiRoute(_ segments: ArraySlice<String>) throws(Problem) -> Route {
        guard let first = segments.first else { return .index }
        let rest = Array(segments.dropFirst())
        switch (first, rest.count) {
        case ("model", 0): return .model
        case ("stats", 0): return .statistics
        case ("transaction", 0): return .transaction
        case ("queries", 0): return .queries
        case ("queries", 1): return .query(rest[0])
        case ("history", _): return .unbuilt("History")
        case ("contexts", 0): return .contexts
        case ("contexts", 1): return .context(rest[0])
        case ("contexts", _):
            let action = rest.count == 2 ? Route.ContextAction(rawValue: rest[1]) : nil
            return action.map { .contextAction(rest[0], $0) } ?? .inContext(rest[0], Array(rest.dropFirst()))
        default: return try entityRoute(resource(first), rest)
        }
    }

    /// The route of a path below an editing context.
    func routeInContext(_ path: [String]) throws(Problem) -> Route {
        switch (path[0], path.count) {
        case ("transaction", 1): return .transaction
        case ("queries", 2): return .query(path[1])
        case (let name, _) where Self.reserved.contains(name): throw .notInContext(name, below: self.path)
        default:
            let actions = Route.ContextAction.allCases.map(\.rawValue)
            return try entityRoute(resource(path[0], or: actions), Array(path.dropFirst()))
        }
    }

    private func entityRoute(_ resource: Resource, _ rest: [String]) throws(Problem) -> Route {
        guard let key = rest.first else { return .collection(resource) }
        if rest.count == 1 {
            if key == "fetch" { return .fetch(resource) }
            if let kind = Route.BatchKind(rawValue: key) { return .batch(resource, kind) }
            return .object(resource, key: key)
        }
        guard let property = resource.property(named: rest[1]) else {
            // A property of an entity below may be meant: the object's own entity says.
            for kind in model.kinds(of: resource.entity).dropFirst() {
                if let property = self[kind].property(named: rest[1]) {
                    return try propertyRoute(self[kind], key, property, rest)
                }
            }
            throw Problem(
                .notFound,
                "\(resource.entity.name) has no property “\(rest[1])”.",
                hint: hint(for: rest[1], of: resource)
            )
        }
        return try propertyRoute(resource, key, property, rest)
    }

    private func propertyRoute(
        _ resource: Resource,
        _ key: String,
        _ property: ResourceProperty,
        _ rest: [String]
    ) throws(Problem) -> Route {
        switch rest.count {
        case 2:
            guard let attribute = property.attribute, attribute.type != .binary else {
                return .property(resource, key: key, property)
            }
            throw .noBytes(property, at: "\(path(of: resource))/\(RequestTarget.encode(segment: key))")
        case 3 where property.relationship?.isToMany == true:
            return .member(resource, key: key, property, target: rest[2])
        default: throw Problem(.notFound, "There is nothing below “\(rest[1])”.")
        }
    }

    /// - Parameter others: What else may have been meant.
    private func resource(_ name: String, or others: [String] = []) throws(Problem) -> Resource {
        if let resource = resource(named: name) { return resource }
        let all = names + Self.reserved.sorted() + others
        throw Problem(
            .notFound,
            "There is no entity “\(name)”.",
            hint: Spelling.hint(for: name, among: all.filter { $0 != name }) ?? "GET /api lists what there is."
        )
    }
}

extension Problem {
    /// Some routes are about the whole server, or have other paths there.
    fileprivate static func notInContext(_ name: String, below path: String) -> Problem {
        let hint =
            switch name {
            case "queries": "GET /api/queries lists them; below the context there is each, at \(path)queries/NAME."
            case "contexts": "POST /api/contexts opens one below another, by “parent”."
            case "transaction": "POST \(path)transaction does many things in the context."
            default: "It is at /api/\(name)."
            }
        return Problem(.notFound, "“\(name)” isn't there below an editing context.", hint: hint)
    }

    /// Only binary values have addresses of their own.
    fileprivate static func noBytes(_ property: ResourceProperty, at path: String) -> Problem {
        Problem(
            .notFound,
            "“\(property.name)” has no bytes of its own.",
            hint: "GET \(path) has its value; ?select=\(property.name) shows it alone."
        )
    }
}
