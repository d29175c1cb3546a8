// SPDX-License-Identifier: Apache-2.0

// Errors that typed properties can't throw, deferred to a later call.

/// The first error of a closure that a typed property could not throw.
///
/// The property then has its absent value, and results based on it are discarded:
///
/// 1. Until the closure ends, `processPendingChanges()`, fetches and `save()` throw the error, and so does the end of
///    the closure. Values computed from the absent value are neither returned nor saved.
/// 2. Changes that the closure made after the error may be based on it too. While these are pending, `save()` keeps
///    throwing the error, in later closures too, until a rollback or a reset.
///
/// To continue after an error, read with a throwing call: `try post.value(of: \.title)`.
struct DeferredErrors {
    /// The first error since the closure was entered.
    private var error: GraphError?
    /// The error that pending changes may be based on.
    private var tainting: GraphError?

    mutating func record(_ error: GraphError) {
        if self.error == nil { self.error = error }
    }

    /// Records a change.
    mutating func recordChange() {
        if tainting == nil, let error { tainting = error }
    }

    func check() throws(GraphError) {
        if let error { throw error }
    }

    func checkForSaving() throws(GraphError) {
        try check()
        guard var error = tainting else { return }
        error.hint = "Later changes may depend on it. Roll back the context, and make the changes again."
        throw error
    }

    mutating func endClosure() { error = nil }

    mutating func endChanges() { tainting = nil }
}
