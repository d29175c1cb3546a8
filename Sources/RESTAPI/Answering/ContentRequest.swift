// SPDX-License-Identifier: Apache-2.0

// What a request wants of bytes that are a resource of their own.

import HTTPMessage

/// The conditions and the ranges of a request for bytes.
struct ContentRequest: Equatable, Sendable {
    var conditions: Conditions
    var ifModifiedSince: HTTPDate?
    /// The parts that are asked for; nil where it is the whole.
    var ranges: [ByteRange]?
    /// The state that the client has other parts of. Nil within where it is none that could be.
    var ifRange: RangeCondition??

    init(_ method: HTTPMethod, _ fields: HeaderFields) throws(Problem) {
        conditions = try Conditions(fields)
        if conditions.ifNoneMatch == nil { ifModifiedSince = fields[.ifModifiedSince].flatMap(HTTPDate.init) }
        // Ranges have a meaning for GET alone, and malformed ones none.
        guard method == .get, let text = fields[.range], let ranges = ByteRange.ranges(in: text) else { return }
        self.ranges = ranges
        if let text = fields[.ifRange] { ifRange = .some(RangeCondition(text)) }
    }
}
