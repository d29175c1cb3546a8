// SPDX-License-Identifier: Apache-2.0

// A closure that may not escape, for another thread that its caller waits for.

/// What the writer's thread holds of its jobs it may hold for a moment after a caller goes on. So it holds this, which has the closure only
/// for as long as the caller waits.
final class BorrowedClosure<Argument, Result>: @unchecked Sendable {
    private var body: ((Argument) throws -> Result)?

    private init(_ body: @escaping (Argument) throws -> Result) { self.body = body }

    /// - Parameter use: Ends after the last call of the closure.
    static func lend<Outcome>(
        _ body: (Argument) throws -> Result,
        to use: (BorrowedClosure) throws -> Outcome
    ) rethrows -> Outcome {
        try withoutActuallyEscaping(body) { body in
            let borrowed = BorrowedClosure(body)
            defer { borrowed.body = nil }
            return try use(borrowed)
        }
    }

    func callAsFunction(_ argument: Argument) throws -> Result {
        guard let body else { preconditionFailure("A borrowed closure was called after it was given back.") }
        return try body(argument)
    }
}
