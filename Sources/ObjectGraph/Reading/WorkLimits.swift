// SPDX-License-Identifier: Apache-2.0

// Time and memory limits for work with stores.

public import FoundationEssentials
public import Predicates

/// A deadline and a cancellation, which apply to all that a closure asks of stores.
///
///     let limits = WorkLimits(deadline: .now + .seconds(5), isCancelled: { client.isGone })
///     try limits.hold { try coordinator.withContext { try $0.fetch(request) } }
///
/// Work that exceeds a limit fails with the code `deadline` or `cancelled`, and leaves the stores as they were; a write
/// that is already committed is still acknowledged. A save that shares a transaction with others fails alone.
public struct WorkLimits: Sendable {
    public var deadline: ContinuousClock.Instant?
    /// Called regularly on the working thread, so it should be fast.
    public var isCancelled: (@Sendable () -> Bool)?
    /// The memory for rows that are read; nil for no limit.
    public var allowance: ReadAllowance?
    /// Called before a fetch that reads many rows according to its plan. The limits are checked after it, so it can
    /// cancel the work before it begins.
    public var willReadMany: (@Sendable () -> Void)?

    public init(
        deadline: ContinuousClock.Instant? = nil,
        isCancelled: (@Sendable () -> Bool)? = nil,
        allowance: ReadAllowance? = nil,
        willReadMany: (@Sendable () -> Void)? = nil
    ) {
        self.deadline = deadline
        self.isCancelled = isCancelled
        self.allowance = allowance
        self.willReadMany = willReadMany
    }

    /// A read of more rows is a long read.
    public static let manyRows = 10_000

    /// The limits that apply here, or nil. Tasks inherit those of the closure that created them, threads don't.
    @TaskLocal public static var current: WorkLimits?

    /// Runs a closure under these limits instead of the present ones.
    public func hold<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$current.withValue(self, operation: body)
    }

    /// Runs a closure under the present limits, with a new allowance for its rows.
    public static func withNewAllowance<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard var limits = current, let allowance = limits.allowance else { return try body() }
        limits.allowance = ReadAllowance(allowance.limit)
        return try limits.hold(body)
    }

    /// Runs a closure without limits, since its work must be completed.
    package static func withoutLimits<Result>(_ body: () throws -> Result) rethrows -> Result {
        current == nil ? try body() : try $current.withValue(nil, operation: body)
    }

    /// Whether long reads must be announced.
    public static var announcesLongReads: Bool { current?.willReadMany != nil }

    /// Announces a long read. Throws if it is cancelled.
    public static func announceLongRead() throws(GraphError) {
        guard let limits = current, let willReadMany = limits.willReadMany else { return }
        willReadMany()
        try limits.check()
    }

    /// Throws if a present limit is exceeded.
    public static func check() throws(GraphError) { try current?.check() }

    public func check() throws(GraphError) {
        if let isCancelled, isCancelled() { throw .cancelled }
        if let deadline, ContinuousClock.now >= deadline { throw .deadline }
    }
}

/// Checks the limits periodically during work in memory.
public struct WorkMeter {
    private let limits = WorkLimits.current
    private var count: UInt = 0

    /// The number of steps between two checks.
    private static let interval: UInt = 256

    public init() {}

    /// Counts a step. Throws if a limit is exceeded.
    public mutating func step() throws(GraphError) {
        guard let limits else { return }
        count &+= 1
        if count.isMultiple(of: Self.interval) { try limits.check() }
    }
}

extension Evaluator {
    /// An evaluator that checks the present limits, since one object can refer to all others. Work that must be
    /// completed, such as values derived in a save, uses one without limits.
    public static func limited(variables: [String: Operand] = [:], now: Date = .now) -> Evaluator {
        let checkpoint = WorkLimits.current.map { limits in { () throws -> Void in try limits.check() } }
        return Evaluator(variables: variables, now: now, checkpoint: checkpoint)
    }
}

extension GraphError {
    static let deadline = GraphError(.deadline, "The time limit was exceeded; nothing was changed.")
    static let cancelled = GraphError(.cancelled, "The work was cancelled; nothing was changed.")
}

/// A store's error with a more specific code than `store`.
public protocol CodedStoreError: Error {
    /// Nil for `store`.
    var graphCode: GraphError.Code? { get }
}
