// SPDX-License-Identifier: Apache-2.0

// How long work with stores may go on, for whoever has somebody waiting.

public import FoundationEssentials
public import Predicates

/// A deadline and a cancellation, which hold for all that a closure asks of stores.
///
///     let limits = WorkLimits(deadline: .now + .seconds(5), isCancelled: { client.isGone })
///     try limits.hold { try coordinator.withContext { try $0.fetch(request) } }
///
/// What is under way when a limit is exceeded fails with the code `deadline` or `cancelled`, and leaves the stores as they were. What
/// is about to be acknowledged still is. A save that shares a transaction with others ends for itself alone.
public struct WorkLimits: Sendable {
    public var deadline: ContinuousClock.Instant?
    /// Asked now and then by whatever thread does the work, so it should be quick.
    public var isCancelled: (@Sendable () -> Bool)?
    /// What the rows may take that are read; nil for as much as they need.
    public var allowance: ReadAllowance?
    /// Called before a fetch that looks at many rows by its plan. The limits are checked after it, so that it can have the work given
    /// up before it costs anything.
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

    /// More rows than this are many.
    public static let manyRows = 10_000

    /// Those that hold here; nil where there are none. Tasks have those of the closure that made them, threads have none.
    @TaskLocal public static var current: WorkLimits?

    /// Runs a closure under these limits, in the place of those that hold already.
    public func hold<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$current.withValue(self, operation: body)
    }

    /// Runs a closure under the limits that hold, with as much for its rows as there was at first.
    public static func withNewAllowance<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard var limits = current, let allowance = limits.allowance else { return try body() }
        limits.allowance = ReadAllowance(allowance.limit)
        return try limits.hold(body)
    }

    /// Runs a closure without limits, since what it does can't be left undone.
    static func lifted<Result>(_ body: () throws -> Result) rethrows -> Result {
        current == nil ? try body() : try $current.withValue(nil, operation: body)
    }

    /// Whether fetches that look at many rows are to be announced.
    public static var announcesLongReads: Bool { current?.willReadMany != nil }

    /// Announces a fetch that looks at many rows. Throws if it isn't wanted.
    public static func announceLongRead() throws(GraphError) {
        guard let limits = current, let willReadMany = limits.willReadMany else { return }
        willReadMany()
        try limits.check()
    }

    /// Throws if one of the limits that hold is exceeded.
    public static func check() throws(GraphError) { try current?.check() }

    public func check() throws(GraphError) {
        if let isCancelled, isCancelled() { throw .cancelled }
        if let deadline, ContinuousClock.now >= deadline { throw .deadline }
    }
}

/// Looks at the limits every so many steps of what is done in memory.
public struct WorkMeter {
    private let limits = WorkLimits.current
    private var count: UInt = 0

    /// The steps between two looks.
    private static let interval: UInt = 256

    public init() {}

    /// Counts a step. Throws if a limit was exceeded lately.
    public mutating func step() throws(GraphError) {
        guard let limits else { return }
        count &+= 1
        if count.isMultiple(of: Self.interval) { try limits.check() }
    }
}

extension Evaluator {
    /// Makes an evaluator that looks at the limits which hold here, for what may go on for long: one object can lead to all others.
    /// What would have to be done in any case, as values derived in a save, goes on without.
    public static func limited(variables: [String: Operand] = [:], now: Date = .now) -> Evaluator {
        let checkpoint = WorkLimits.current.map { limits in { () throws -> Void in try limits.check() } }
        return Evaluator(variables: variables, now: now, checkpoint: checkpoint)
    }
}

extension GraphError {
    static let deadline = GraphError(.deadline, "It took longer than it may; nothing was changed.")
    static let cancelled = GraphError(.cancelled, "It was given up before it was done; nothing was changed.")
}

/// An error of a store that has a code of its own among the engine's. Others are told as `store`.
public protocol CodedStoreError: Error {
    /// Nil where `store` is to be said.
    var graphCode: GraphError.Code? { get }
}
