// SPDX-License-Identifier: Apache-2.0

// Reading one object.

import HTTPMessage

struct ObjectPlan: Equatable, Sendable {
    var target: ObjectTarget
    /// The relationship to one object that leads from there to the one that is meant.
    var relationship: ResourceProperty?
    var selection: Selection
    var conditions: Conditions
}

/// The object that a path names.
struct ObjectTarget: Equatable, Sendable {
    var resource: Resource
    var key: String

    /// As references have it.
    var name: String { "\(resource.path)/\(key)" }
}

/// Which versions a request expects.
struct Conditions: Equatable, Sendable {
    var ifMatch: EntityTagCondition?
    var ifNoneMatch: EntityTagCondition?

    init(_ fields: HeaderFields) throws(Problem) {
        do throws(HTTPRefusal) {
            ifMatch = try EntityTagCondition.ifMatch(in: fields)?.ofStates
            ifNoneMatch = try EntityTagCondition.ifNoneMatch(in: fields)?.ofStates
        } catch {
            throw Problem(.malformed, error.message)
        }
    }
}
