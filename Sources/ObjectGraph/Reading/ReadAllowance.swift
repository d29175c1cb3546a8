// SPDX-License-Identifier: Apache-2.0

// Limits the memory of rows that are read for one request.

public import Predicates
import Synchronization

/// A number of bytes for rows that are read from stores; cached rows don't count.
public final class ReadAllowance: Sendable {
    /// The total number of bytes.
    public let limit: Int
    private let used = Atomic(0)

    public init(_ limit: Int) { self.limit = limit }

    /// The last row may exceed the limit, so that a single row can always be read.
    fileprivate func check() throws(GraphError) {
        guard used.load(ordering: .relaxed) <= limit else { throw .tooMuchRead(limit) }
    }

    fileprivate func add(_ bytes: Int) { used.add(bytes, ordering: .relaxed) }
}

/// Counts rows as a store reads them, under the limits at its creation.
public struct ReadMeter {
    private let allowance = WorkLimits.current?.allowance

    public init() {}

    /// Counts a row. Throws, without reading the row, if the limit is already exceeded.
    public func count(_ snapshot: @autoclosure () -> Snapshot) throws(GraphError) -> Snapshot {
        guard let allowance else { return snapshot() }
        try allowance.check()
        let snapshot = snapshot()
        allowance.add(snapshot.approximateSize)
        return snapshot
    }

    /// Counts a row that is appended to a page in the same way.
    public func count(in page: inout RowPageBuilder, append: (inout RowPageBuilder) throws -> Void) throws {
        guard let allowance else { return try append(&page) }
        try allowance.check()
        let before = page.byteCount
        try append(&page)
        allowance.add(page.byteCount - before)
    }

    /// Counts a row of a table in the same way.
    ///
    /// - Parameter read: Returns the values, and how many of their bytes are in mapped files.
    public func count(values read: () -> (values: [Value], mappedBytes: Int)) throws(GraphError) -> [Value] {
        guard let allowance else { return read().values }
        try allowance.check()
        let (values, mappedBytes) = read()
        allowance.add(values.reduce(32) { $0 + MemoryLayout<Value>.stride + $1.approximatePayload } - mappedBytes)
        return values
    }
}

extension GraphError {
    fileprivate static func tooMuchRead(_ limit: Int) -> GraphError {
        GraphError(
            .tooMuchRead,
            "The rows to read take more than \(limit) bytes, the limit for a request.",
            hint: "Request fewer objects at once."
        )
    }
}
