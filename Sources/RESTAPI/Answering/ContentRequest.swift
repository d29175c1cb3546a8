// SPDX-License-Identifier: Apache-2.0

// Reads a request for bytes that are a resource.

import HTTPMessage

/// The conditions and ranges of a request for bytes.
struct ContentRequest: Equatable, Sendable {
    var conditions: Preconditions
    var ifModifiedSince: HTTPDate?
    /// The requested ranges, or nil for the whole.
    var ranges: [ByteRange]?
    /// The state that the client has parts of; the inner value is nil for an invalid field.
    var ifRange: RangeCondition??

    init(_ method: HTTPMethod, fields: HeaderFields) throws(Problem) {
        conditions = try Preconditions(fields)
        if conditions.ifNoneMatch == nil { ifModifiedSince = fields[.ifModifiedSince].flatMap(HTTPDate.init) }
        // Ranges apply to GET only, and malformed ones are ignored.
        guard method == .get, let text = fields[.range], let ranges = ByteRange.ranges(in: text) else { return }
        self.ranges = ranges
        if let text = fields[.ifRange] { ifRange = .some(RangeCondition(text)) }
    }
}
