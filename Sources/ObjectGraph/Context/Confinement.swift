// SPDX-License-Identifier: Apache-2.0

// Keeps a context and its objects in their closure where the compiler can't.

import Basics
import Glibc

/// The reference from objects to their context, which checks that the context may be used on this thread now.
///
/// A context is used within the closures that it is passed to, and ends with the last of them. The compiler keeps
/// contexts and objects from leaving a closure; this check finds the cases that it misses.
final class Confinement {
    /// Unowned, since the context holds its objects, and they hold this.
    private unowned var owner: ManagedObjectContext?
    /// The thread that runs a closure with the context, or nil.
    private var thread: pthread_t?

    /// The context; traps if it may not be used here.
    var context: ManagedObjectContext {
        check()
        guard let owner else { preconditionFailure(Self.ended) }
        return owner
    }

    func check() {
        guard thread == CurrentThread.identifier() else {
            preconditionFailure(
                owner == nil
                    ? Self.ended
                    : "A managed object context, or an object of it, was used outside of its closure. Take values or object IDs out of the closure instead of objects."
            )
        }
    }

    func bind(to context: ManagedObjectContext) { owner = context }

    /// Runs a closure that may use the context.
    func withAccess<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let outer = thread
        precondition(
            outer == nil || outer == CurrentThread.identifier(),
            "A managed object context was entered by two threads at once."
        )
        thread = CurrentThread.identifier()
        defer { thread = outer }
        return try body()
    }

    /// Runs a closure that may use several contexts, none of which is in use elsewhere.
    static func withAccess<Result>(to all: [Confinement], _ body: () throws -> Result) rethrows -> Result {
        let outer = all.map(\.thread)
        for confinement in all { confinement.thread = CurrentThread.identifier() }
        defer { for (confinement, thread) in zip(all, outer) { confinement.thread = thread } }
        return try body()
    }

    /// Ends all use of the context and its objects.
    func end() {
        owner = nil
        thread = nil
    }

    private static let ended =
        "An object was used after its managed object context had ended. Take values or object IDs out of the closure instead of objects."
}
