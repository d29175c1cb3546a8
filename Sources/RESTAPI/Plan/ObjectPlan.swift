// SPDX-License-Identifier: Apache-2.0

// Reads one object.

import HTTPMessage

struct ObjectPlan: Equatable, Sendable {
    var target: ObjectLocation
    /// The to-one relationship of that object whose destination is read, or nil.
    var relationship: ResourceProperty?
    var selection: Selection
    var conditions: Conditions
}

/// The versions that a request expects.
struct Conditions: Equatable, Sendable {
    var ifMatch: EntityTagCondition?
    var ifNoneMatch: EntityTagCondition?

    init(_ fields: HeaderFields) throws(Problem) {
        do throws(HTTPRefusal) {
            ifMatch = try EntityTagCondition.ifMatch(in: fields)?.withStateTags
            ifNoneMatch = try EntityTagCondition.ifNoneMatch(in: fields)?.withStateTags
        } catch {
            throw Problem(.malformed, error.message)
        }
    }
}
