// SPDX-License-Identifier: Apache-2.0

// `If-Match` and `If-None-Match`.

import HTTPMessage

/// The versions that a request expects.
struct Preconditions: Equatable, Sendable {
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
