// SPDX-License-Identifier: Apache-2.0

// Lends a non-escaping closure to another thread while the caller waits.

/// The writer's thread may keep its jobs a moment longer than the caller waits. It keeps this object, which drops the
/// closure when the caller continues.
final class BorrowedClosure<Argument, Result>: @unchecked Sendable {
    private var body: ((Argument) throws -> Result)?

    private init(_ body: @escaping (Argument) throws -> Result) { self.body = body }

    /// - Parameter use: Must return only after the last call of the closure.
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
