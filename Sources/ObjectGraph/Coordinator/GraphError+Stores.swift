// SPDX-License-Identifier: Apache-2.0

// The errors of stores as errors of the engine.

import FoundationEssentials
import Predicates
import SourceText

extension GraphError {
    /// Runs a call to a store and wraps its errors, after checking the limits.
    static func wrapping<Result>(_ body: () throws -> Result) throws(GraphError) -> Result {
        try WorkLimits.check()
        do {
            return try body()
        } catch {
            throw .ofStore(error)
        }
    }

    /// The error of a store as an error of the engine.
    static func ofStore(_ error: any Error) -> GraphError {
        if let error = error as? GraphError { return error }
        if let error = error as? EvaluationError { return .evaluation(error) }
        let code = (error as? any CodedStoreError)?.graphCode ?? .store
        var wrapped = GraphError(code, "The store failed: \(error)".asSentenceEnd)
        wrapped.underlying = error
        return wrapped
    }

    static func unknownStore(_ identifier: UUID) -> GraphError {
        GraphError(.unknownStore, "The store \(identifier.uuidString) is not part of the coordinator.")
    }

    static func wrongIDs(of store: any PersistentStore) -> GraphError {
        GraphError(.store, "The store \(store.identifier.uuidString) didn't return a distinct ID for each new object.")
    }

    static func incompleteSave(written: [UUID], failed: UUID, _ reason: GraphError) -> GraphError {
        let names = written.map(\.uuidString).joined(separator: ", ")
        var error = GraphError(
            .incompleteSave,
            "The store \(failed.uuidString) couldn't be written after \(names): \(reason.message)",
            hint:
                "Reset the context and fetch again; saving it again would insert objects twice. A store that prepares saves has "
                + "its part in a record, and writes it before anything else."
        )
        error.underlying = reason
        return error
    }
}
