// SPDX-License-Identifier: Apache-2.0

// Finds the endpoints of a path, or the problem with it.

import HTTPMessage
import ObjectGraph
import SourceText

/// The endpoints of a path, and the parts that match braces in their pattern.
struct EndpointMatch: Sendable {
    let path: EndpointPath
    let parts: PathParts
}

extension Catalogue {
    /// The endpoints of a path, or nil if the path is outside of the API. In the catalogue of an editing context, paths
    /// begin with `/api` too.
    ///
    /// - Parameter suggestions: What a problem with the path may suggest.
    func match(
        _ segments: [String],
        suggesting suggestions: PathSuggestions = PathSuggestions()
    ) throws(Problem) -> EndpointMatch? {
        for path in isOfContext ? EndpointPath.inContexts : EndpointPath.all {
            if let parts = path.pattern.match(segments, in: self) { return EndpointMatch(path: path, parts: parts) }
        }
        if let problem = nothing(at: segments, suggestions) { throw problem }
        return nil
    }

    /// Names that paths have in the place of an entity's name.
    static let reserved = Set(
        EndpointPath.all.map(\.pattern.segments).compactMap { segments in
            segments.count > 1 && segments[0] == "api" && segments[1] != "{entity}" ? segments[1] : nil
        }
    )

    /// The actions on an editing context as a whole.
    static let contextActions = EndpointPath.all.map(\.pattern.segments).compactMap { segments in
        segments.count == 4 && segments[1] == "contexts" && segments[3] != "{...}" ? segments[3] : nil
    }

    /// A property and its entity. It may be a property of a subentity, since the object may have that entity.
    func property(_ name: String, of resource: Resource) -> (resource: Resource, property: ResourceProperty)? {
        for kind in model.kinds(of: resource.entity) {
            if let property = self[kind].property(named: name) { return (self[kind], property) }
        }
        return nil
    }

    /// The problem with a path that matches no pattern, or nil if the path is outside of the API.
    private func nothing(at segments: [String], _ suggestions: PathSuggestions) -> Problem? {
        guard segments.count > 1, segments[0] == "api" || segments[0] == "schemas" && segments.count == 2 else {
            return nil
        }
        guard let resource = resource(named: segments[1]) else {
            if isOfContext, Self.reserved.contains(segments[1]) { return notInContext(segments[1]) }
            if segments[0] == "api", segments[1] == "auth", segments.count > 2 {
                return suggestions.noAccountRoute(segments[2...].joined(separator: "/"))
            }
            return noEntity(segments[1], suggestions)
        }
        guard segments.count > 3 else { return nil }
        guard let (owner, property) = property(segments[3], of: resource) else {
            return Problem(
                .notFound,
                "\(resource.name) has no property “\(segments[3])”.",
                hint: hint(for: segments[3], of: resource) ?? hint(forKey: segments[3], of: resource)
            )
        }
        guard segments.count == 4 else { return Problem(.notFound, "There is nothing below “\(segments[3])”.") }
        // Of attributes, only binary ones have paths.
        return Problem(
            .notFound,
            "“\(property.name)” isn't a binary attribute, so it has no path.",
            hint: "GET \(path(of: owner))/\(RequestTarget.encode(segment: segments[2])) has its value; "
                + "with ?select=\(property.name) it returns only that. PATCH changes it."
        )
    }

    /// The problem with a path that exists, but not below a context.
    private func notInContext(_ name: String) -> Problem {
        let hint =
            switch name {
            case "queries": "GET /api/queries lists them; each can be run in the context, at \(path)queries/NAME."
            case "contexts": "To open a child of this context, POST to /api/contexts with “parent”."
            case "transaction": "POST \(path)transaction performs several operations in the context."
            default: "It is at /api/\(name)."
            }
        return Problem(.notFound, "“\(name)” isn't available in an editing context.", hint: hint)
    }
}
