// SPDX-License-Identifier: Apache-2.0

// The error of objects, contexts and stores.

import SourceText

/// The reason why an operation on an object graph failed.
public struct GraphError: Error, Sendable, CustomStringConvertible {
    /// The kind of error. Codes are stable; more may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The model has no property or entity of this name.
        public static let unknownName = Code(rawValue: "unknownName")
        /// A property can't have this value.
        public static let wrongType = Code(rawValue: "wrongType")
        /// The property is computed or read-only.
        public static let notWritable = Code(rawValue: "notWritable")
        /// The object belongs to another context.
        public static let otherContext = Code(rawValue: "otherContext")
        /// The object has no row in the store.
        public static let objectMissing = Code(rawValue: "objectMissing")
        /// No attached store has this identifier.
        public static let unknownStore = Code(rawValue: "unknownStore")
        /// Objects of different stores can't be related.
        public static let acrossStores = Code(rawValue: "acrossStores")
        /// The store can't be written.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The model or a validator doesn't allow some values; see `failures`.
        public static let validation = Code(rawValue: "validation")
        /// Others have changed rows since they were read; see `conflicts`.
        public static let conflict = Code(rawValue: "conflict")
        /// Values violate uniqueness constraints; see `constraintConflicts`.
        public static let constraint = Code(rawValue: "constraint")
        /// A hook, an observer or a closure made a call that would have to wait for its end.
        public static let reentrant = Code(rawValue: "reentrant")
        /// Hooks kept changing objects.
        public static let endlessChanges = Code(rawValue: "endlessChanges")
        /// Derived values depend on each other in a cycle, and keep changing.
        public static let endlessDerivation = Code(rawValue: "endlessDerivation")
        /// One of several stores failed to save after others had committed.
        public static let incompleteSave = Code(rawValue: "incompleteSave")
        /// The store failed.
        public static let store = Code(rawValue: "store")
        /// The request is invalid.
        public static let invalidRequest = Code(rawValue: "invalidRequest")
        /// A batch would touch more objects than its maximum.
        public static let limitExceeded = Code(rawValue: "limitExceeded")
        /// The pending changes would exceed the context's `memoryLimit`.
        public static let contextFull = Code(rawValue: "contextFull")
        /// The deadline has passed; see `WorkLimits`.
        public static let deadline = Code(rawValue: "deadline")
        /// The work was cancelled; see `WorkLimits`.
        public static let cancelled = Code(rawValue: "cancelled")
        /// Another program held the store's lock too long; nothing was changed.
        public static let locked = Code(rawValue: "locked")
        /// The store was too busy with other requests; nothing was changed.
        public static let busy = Code(rawValue: "busy")
        /// The request would evaluate more objects in memory than allowed.
        public static let tooExpensive = Code(rawValue: "tooExpensive")
        /// The rows of a request exceed their memory limit; see `ReadAllowance`.
        public static let tooMuchRead = Code(rawValue: "tooMuchRead")
        /// The bytes aren't an archive of a context, or are damaged.
        public static let invalidArchive = Code(rawValue: "invalidArchive")
        /// The store has no keys left for new objects.
        public static let noKeys = Code(rawValue: "noKeys")
        /// There is no disk space for the write.
        public static let diskFull = Code(rawValue: "diskFull")
        /// The store's file was deleted, moved or replaced while it was open.
        public static let storeGone = Code(rawValue: "storeGone")
        /// The store has a record of a save into several stores that can't be decided yet; nothing was saved.
        public static let undecided = Code(rawValue: "undecided")
    }

    public let code: Code
    public let message: String
    public var objectID: ManagedObjectID?
    public var property: String?
    public var hint: String?
    /// The row of a batch insert that failed, counted from one.
    public var row: Int?
    /// The number of rows of a batch insert that earlier chunks have committed.
    public var inserted: Int?
    /// The validation failures: all of them, or the first thousand.
    public var failures: [ValidationFailure] = []
    /// The number of further failures.
    var omittedFailures = 0
    /// The total number of failures.
    public var failureCount: Int { failures.count + omittedFailures }
    /// Rows that others have changed.
    public var conflicts: [MergeConflict] = []
    /// Violations of uniqueness constraints.
    public var constraintConflicts: [ConstraintViolation] = []
    /// The error of a lower layer.
    public var underlying: (any Error)?

    init(_ code: Code, _ message: String, object: ManagedObjectID? = nil, property: String? = nil, hint: String? = nil)
    {
        self.code = code
        self.message = message
        objectID = object
        self.property = property
        self.hint = hint
    }

    /// The error of a save that its caller has refused; the caller's error is the underlying one.
    package static func refused(_ error: any Error) -> GraphError {
        if let error = error as? GraphError { return error }
        var refused = GraphError(.invalidRequest, "The save was refused: \(error)".asSentenceEnd)
        refused.underlying = error
        return refused
    }

    public var description: String { hint.map { "\(message) \($0)" } ?? message }
}
