// SPDX-License-Identifier: Apache-2.0

// Errors that a fault may cause.

import ObjectGraph
import SQLiteStore
import Testing

extension StoreError {
    /// The store's error in an error that a context or a store throws.
    init?(in error: any Error) {
        if let error = error as? StoreError {
            self = error
        } else if let error = (error as? GraphError)?.underlying as? StoreError {
            self = error
        } else {
            return nil
        }
    }

    /// Expects an error of the store that names its file and isn't of an unrelated kind.
    static func expect(
        in error: any Error,
        at path: String,
        _ comment: @autoclosure () -> Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard let found = StoreError(in: error) else {
            Issue.record("Another error than the store's: \(error)", sourceLocation: sourceLocation)
            return
        }
        #expect(found.path == path, comment(), sourceLocation: sourceLocation)
        #expect(found.message.hasSuffix(".") || found.code == .database, comment(), sourceLocation: sourceLocation)
    }
}
