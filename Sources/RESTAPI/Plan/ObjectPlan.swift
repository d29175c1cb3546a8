// SPDX-License-Identifier: Apache-2.0

// Reading one object.

import HTTPMessage

struct ObjectPlan: Equatable, Sendable {
    var target: ObjectTarget
    var selection: Selection
    var conditions: Conditions
}

/// The object that a path names.
struct ObjectTarget: Equatable, Sendable {
    var resource: Resource
    var key: String
}

/// Which versions a request expects.
struct Conditions: Equatable, Sendable {
    var ifMatch: EntityTagList?
    var ifNoneMatch: EntityTagList?

    init(_ fields: HeaderFields) throws(Problem) {
        ifMatch = try Self.tags(fields, .ifMatch)
        ifNoneMatch = try Self.tags(fields, .ifNoneMatch)
    }

    private static func tags(_ fields: HeaderFields, _ name: FieldName) throws(Problem) -> EntityTagList? {
        guard fields.contains(name) else { return nil }
        let text = fields.values(of: name).joined(separator: ", ")
        guard let tags = EntityTagList(text) else {
            throw Problem(
                .malformed,
                "“\(name): \(text)” is no list of entity tags.",
                hint: "A tag is the version in quotes, as in \(name): \"3\"."
            )
        }
        return tags
    }
}
