// SPDX-License-Identifier: Apache-2.0

// Reading one object.

import HTTPMessage

struct ObjectPlan: Equatable, Sendable {
    var target: ObjectLocation
    /// The relationship to one object that leads from there to the one that is meant.
    var relationship: ResourceProperty?
    var selection: Selection
    var conditions: Conditions
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
