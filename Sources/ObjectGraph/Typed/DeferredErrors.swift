// SPDX-License-Identifier: Apache-2.0

// What becomes of errors where a typed property can't throw them.

/// The first error of a closure that a typed property could not throw.
///
/// The property has the value that stands for nothing then, and whatever is done with it comes to nothing, too:
///
/// 1. Until the closure ends, `processPendingChanges()`, fetches and `save()` throw the error, and so does the end of the
///    closure. What was computed from the value is neither returned nor saved.
/// 2. What the closure changed after the error may have been computed from it as well. As long as these changes are pending,
///    `save()` goes on to throw the error, in later closures too, until a rollback or a reset has taken them away.
///
/// Who wants to carry on after an error reads by what throws: `try post.value(of: \.title)`.
struct DeferredErrors {
    /// The first error since the closure was entered.
    private var error: GraphError?
    /// The error that pending changes may rest on.
    private var tainting: GraphError?

    mutating func note(_ error: GraphError) {
        if self.error == nil { self.error = error }
    }

    /// Takes note of a change.
    mutating func noteChange() {
        if tainting == nil, let error { tainting = error }
    }

    func check() throws(GraphError) {
        if let error { throw error }
    }

    func checkForSaving() throws(GraphError) {
        try check()
        guard var error = tainting else { return }
        error.hint = "What was changed since may rest on it. Roll the context back, and make the changes again."
        throw error
    }

    mutating func endClosure() { error = nil }

    mutating func endChanges() { tainting = nil }
}
