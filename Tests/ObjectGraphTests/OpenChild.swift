// SPDX-License-Identifier: Apache-2.0

// Child contexts in tests that use the parent at the same time, which the compiler otherwise refuses.

import ObjectGraph
import Testing

extension ManagedObjectContext {
    /// Runs a closure with a child context, on this thread, that may use this context and its objects too.
    func withOpenChild<Result>(_ body: (ManagedObjectContext) throws -> Result) throws -> Result {
        try withoutActuallyEscaping(body) { body in
            let closure = UncheckedClosure(body)
            try withChild { child in closure.result = try closure.body(child) }
            return try #require(closure.result)
        }
    }
}

/// Carries a closure and its result past the compiler. The closure is called at once, on the thread that made this.
private final class UncheckedClosure<Result>: @unchecked Sendable {
    let body: (ManagedObjectContext) throws -> Result
    var result: Result?

    init(_ body: @escaping (ManagedObjectContext) throws -> Result) { self.body = body }
}
