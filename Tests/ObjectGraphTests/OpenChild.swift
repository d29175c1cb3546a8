// SPDX-License-Identifier: Apache-2.0

// Child contexts in tests that look at the parent meanwhile, which the compiler refuses elsewhere.

import ObjectGraph
import Testing

extension ManagedObjectContext {
    /// Runs a closure with a child context that may use this context and its objects as well, all by this thread.
    func withOpenChild<Result>(_ body: (ManagedObjectContext) throws -> Result) throws -> Result {
        try withoutActuallyEscaping(body) { body in
            let passage = Passage(body)
            try withChild { child in passage.result = try passage.body(child) }
            return try #require(passage.result)
        }
    }
}

/// Carries a closure and its result past the compiler. The closure is called at once, by the thread that made this.
private final class Passage<Result>: @unchecked Sendable {
    let body: (ManagedObjectContext) throws -> Result
    var result: Result?

    init(_ body: @escaping (ManagedObjectContext) throws -> Result) { self.body = body }
}
