// SPDX-License-Identifier: Apache-2.0

// How much memory rows may take that are read for one request.

import Synchronization

/// A number of bytes for rows that are read from stores; rows that contexts share already don't count.
public final class ReadAllowance: Sendable {
    /// The bytes that there are in all.
    public let limit: Int
    private let taken = Atomic(0)

    public init(_ limit: Int) { self.limit = limit }

    /// The last row may pass the limit, so that each can be read by itself, however long it is.
    fileprivate func take(_ bytes: Int) throws(GraphError) {
        guard taken.add(bytes, ordering: .relaxed).oldValue <= limit else { throw .tooMuchRead(limit) }
    }
}

/// Counts rows as a store reads them, under the limits that hold where it is made.
public struct ReadMeter {
    private let allowance = WorkLimits.current?.allowance

    public init() {}

    /// Counts a row. Throws where the rows that were read take more than they may.
    public func count(_ snapshot: Snapshot) throws(GraphError) -> Snapshot {
        if let allowance { try allowance.take(snapshot.roughSize) }
        return snapshot
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
