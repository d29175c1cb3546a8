// SPDX-License-Identifier: Apache-2.0

// How cases report failures: by throwing, so that the caller can handle them.

import ObjectGraph

/// A difference between a store's behaviour and the required one.
public struct ConformanceFailure: Error, CustomStringConvertible {
    public let message: String
    /// Where in the suite the failure was found.
    public let place: String

    public var description: String { "\(message) (\(place))" }
}

func require(
    _ holds: Bool,
    _ message: @autoclosure () -> String,
    file: String = #fileID,
    line: Int = #line
) throws(ConformanceFailure) {
    guard holds else { throw ConformanceFailure(message: message(), place: "\(file):\(line)") }
}

/// Requires that two values are equal; `what` describes the found one.
func require<Found: Equatable>(
    _ what: @autoclosure () -> String,
    _ found: Found,
    is expected: Found,
    file: String = #fileID,
    line: Int = #line
) throws(ConformanceFailure) {
    try require(found == expected, "\(what()): \(found) instead of \(expected)", file: file, line: line)
}

/// Requires that two states of a store, given as lines, are the same; the failure contains the lines that differ.
func requireSame(
    _ what: @autoclosure () -> String,
    _ found: [String],
    as expected: [String],
    file: String = #fileID,
    line: Int = #line
) throws(ConformanceFailure) {
    let differences = found.difference(from: expected).map { change in
        switch change {
        case .insert(_, let line, _): "+ \(line)"
        case .remove(_, let line, _): "- \(line)"
        }
    }
    try require(differences.isEmpty, "\(what()): \(differences.joined(separator: "\n"))", file: file, line: line)
}

/// Requires a value that isn't nil.
func require<Found>(
    _ found: Found?,
    _ message: @autoclosure () -> String,
    file: String = #fileID,
    line: Int = #line
) throws(ConformanceFailure) -> Found {
    guard let found else { throw ConformanceFailure(message: message(), place: "\(file):\(line)") }
    return found
}

/// Requires an error with a code, and returns it.
@discardableResult
func requireError(
    _ code: GraphError.Code,
    _ what: @autoclosure () -> String,
    file: String = #fileID,
    line: Int = #line,
    _ body: () throws -> Void
) throws -> GraphError {
    do {
        try body()
    } catch let error as GraphError where error.code == code {
        return error
    }
    throw ConformanceFailure(message: "\(what()): no error", place: "\(file):\(line)")
}
