// SPDX-License-Identifier: Apache-2.0

// How cases say what a store does wrong: by throwing, so that whoever runs them can judge them.

import ObjectGraph

/// What a store does and shouldn't, or doesn't and should.
public struct ConformanceFailure: Error, CustomStringConvertible {
    public let message: String
    /// Where in the suite it was noticed.
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

/// Demands that two values are equal; `what` says of what.
func require<Found: Equatable>(
    _ what: @autoclosure () -> String,
    _ found: Found,
    is expected: Found,
    file: String = #fileID,
    line: Int = #line
) throws(ConformanceFailure) {
    try require(found == expected, "\(what()): \(found) instead of \(expected)", file: file, line: line)
}

/// Demands that two states of a store are the same, which are told line by line; the failure has the lines that differ.
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

/// Demands a value that is there.
func require<Found>(
    _ found: Found?,
    _ message: @autoclosure () -> String,
    file: String = #fileID,
    line: Int = #line
) throws(ConformanceFailure) -> Found {
    guard let found else { throw ConformanceFailure(message: message(), place: "\(file):\(line)") }
    return found
}

/// Demands an error with a code, and returns it.
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
