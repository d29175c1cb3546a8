// SPDX-License-Identifier: Apache-2.0

// Patterns of paths, such as `/api/{entity}/{key}/{to-many}`, and the parts of paths that match braces.

import ObjectGraph
import ObjectModel

/// The segments of a path. Some in braces have a meaning; others, such as `{query}`, match any name.
///
/// - `{entity}`: an entity's name or path
/// - `{key}`: an object's key in its store
/// - `{bytes}`, `{to-one}`, `{to-many}`, `{fetched}`: a property of the object, of that kind
/// - `{target}`: the key of a member of the relationship
/// - `{delivery}`: the ID of a dead letter
/// - `{...}`: all remaining segments
struct PathPattern: Hashable, Sendable {
    let segments: [String]

    private let hasRest: Bool

    init(_ text: String) {
        segments = text.split(separator: "/").map(String.init)
        hasRest = segments.last == "{...}"
    }

    /// The segment of a property, or nil.
    var propertySegment: String? {
        segments.first { ["{bytes}", "{to-one}", "{to-many}", "{fetched}"].contains($0) }
    }

    /// The parts of a path, or nil if it doesn't match.
    func match(_ path: [String], in catalogue: Catalogue) -> PathParts? {
        guard hasRest ? path.count >= segments.count - 1 : path.count == segments.count else { return nil }
        for (segment, text) in zip(segments, path) where segment != text && !segment.hasPrefix("{") { return nil }
        var parts = PathParts()
        for (segment, text) in zip(segments, path) where segment.hasPrefix("{") {
            guard parts.add(text, as: segment, in: catalogue) else { return nil }
        }
        if hasRest { parts.rest = Array(path.dropFirst(segments.count - 1)) }
        return parts
    }
}

/// The parts of a path that match braces. Keys are decoded.
struct PathParts: Equatable, Sendable {
    private var entity: Resource?
    private var member: ResourceProperty?
    private(set) var key = ""
    private(set) var target = ""
    private(set) var name = ""
    fileprivate(set) var rest: [String] = []

    /// - Returns: Whether the model has the named entity or property.
    fileprivate mutating func add(_ text: String, as segment: String, in catalogue: Catalogue) -> Bool {
        switch segment {
        case "{entity}":
            entity = catalogue.resource(named: text)
            return entity != nil
        case "{bytes}", "{to-one}", "{to-many}", "{fetched}":
            guard let found = entity.flatMap({ catalogue.property(text, of: $0) }) else { return false }
            entity = found.resource
            member = found.property
            return found.property.segment == segment
        case "{...}": break
        case "{key}": key = text
        case "{target}", "{delivery}": target = text
        default: name = text
        }
        return true
    }

    /// The entity of the path, or the subentity that has the property.
    var resource: Resource { get throws(Problem) { try part(entity) } }

    var property: ResourceProperty { get throws(Problem) { try part(member) } }

    var location: ObjectLocation { get throws(Problem) { ObjectLocation(resource: try resource, key: key) } }

    private func part<Part>(_ part: Part?) throws(Problem) -> Part {
        guard let part else { throw Problem(.internal, "A plan needs what the pattern of its endpoint hasn't.") }
        return part
    }
}

extension ResourceProperty {
    /// The segment that matches the property in patterns, or nil for an attribute without a path.
    var segment: String? {
        switch property {
        case .attribute(let attribute): attribute.type == .binary ? "{bytes}" : nil
        case .relationship(let relationship): relationship.isToMany ? "{to-many}" : "{to-one}"
        case .fetched: "{fetched}"
        }
    }
}

extension Resource: Equatable {
    static func == (one: Resource, other: Resource) -> Bool { one === other }
}
