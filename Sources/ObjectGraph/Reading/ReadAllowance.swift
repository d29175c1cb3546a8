// SPDX-License-Identifier: Apache-2.0

// How much memory rows may take that are read for one request.

public import Predicates
import Synchronization

/// A number of bytes for rows that are read from stores; rows that contexts share already don't count.
public final class ReadAllowance: Sendable {
    /// The bytes that there are in all.
    public let limit: Int
    private let taken = Atomic(0)

    public init(_ limit: Int) { self.limit = limit }

    /// The last row may pass the limit, so that each can be read by itself, however long it is.
    fileprivate func check() throws(GraphError) {
        guard taken.load(ordering: .relaxed) <= limit else { throw .tooMuchRead(limit) }
    }

    fileprivate func take(_ bytes: Int) { taken.add(bytes, ordering: .relaxed) }
}

/// Counts rows as a store reads them, under the limits that hold where it is made.
public struct ReadMeter {
    private let allowance = WorkLimits.current?.allowance

    public init() {}

    /// Counts a row. Throws, before it is read, where the rows that were read take more than they may.
    public func count(_ snapshot: @autoclosure () -> Snapshot) throws(GraphError) -> Snapshot {
        guard let allowance else { return snapshot() }
        try allowance.check()
        let snapshot = snapshot()
        allowance.take(snapshot.roughSize)
        return snapshot
    }

    /// Counts a row of a table in the same way.
    ///
    /// - Parameter read: Gives the values, and how many bytes of these are of mapped files.
    public func count(values read: () -> (values: [Value], mappedBytes: Int)) throws(GraphError) -> [Value] {
        guard let allowance else { return read().values }
        try allowance.check()
        let (values, mappedBytes) = read()
        allowance.take(values.reduce(32) { $0 + MemoryLayout<Value>.stride + $1.roughPayload } - mappedBytes)
        return values
    }
}

extension GraphError {
    fileprivate static func tooMuchRead(_ limit: Int) -> GraphError {
        GraphError(
            .tooMuchRead,
            "The rows that would have to be read take more than the \(limit) bytes that they may.",
            hint: "Ask for fewer objects at once."
        )
    }
}
