// SPDX-License-Identifier: Apache-2.0

// What can go wrong with objects, contexts and stores, in one shape.

/// Why something could not be done with an object graph.
public struct GraphError: Error, Sendable, CustomStringConvertible {
    /// What kind of error it is. Codes are stable; more may come.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A name that the model has for no property or entity.
        public static let unknownName = Code(rawValue: "unknownName")
        /// A value that a property can't have.
        public static let wrongType = Code(rawValue: "wrongType")
        /// A property that is computed or read-only.
        public static let notWritable = Code(rawValue: "notWritable")
        /// An object that belongs to another context.
        public static let otherContext = Code(rawValue: "otherContext")
        /// An object whose row is not in the store.
        public static let objectMissing = Code(rawValue: "objectMissing")
        /// An object ID or URI of no store here.
        public static let unknownStore = Code(rawValue: "unknownStore")
        /// Objects of different stores can't be related.
        public static let acrossStores = Code(rawValue: "acrossStores")
        /// The store can't be written.
        public static let readOnly = Code(rawValue: "readOnly")
        /// Values that the model or a validator doesn't allow; see `failures`.
        public static let validation = Code(rawValue: "validation")
        /// Rows that were changed by others since they were read; see `conflicts`.
        public static let conflict = Code(rawValue: "conflict")
        /// Values that must be unique and aren't; see `constraintConflicts`.
        public static let constraint = Code(rawValue: "constraint")
        /// Something that a hook, an observer or a closure has asked for, and that would have to wait for its end.
        public static let reentrant = Code(rawValue: "reentrant")
        /// Hooks that changed objects again and again.
        public static let endlessChanges = Code(rawValue: "endlessChanges")
        /// Values that are derived from one another in a circle, and never come to rest.
        public static let endlessDerivation = Code(rawValue: "endlessDerivation")
        /// One of several stores could not take its part of a save, after others had.
        public static let incompleteSave = Code(rawValue: "incompleteSave")
        /// The store could not do what it was asked.
        public static let store = Code(rawValue: "store")
        /// A request that makes no sense.
        public static let invalidRequest = Code(rawValue: "invalidRequest")
        /// A batch that would touch more objects than it was allowed to.
        public static let limitExceeded = Code(rawValue: "limitExceeded")
        /// More would be pending in a context than its `memoryLimit` has room for.
        public static let contextFull = Code(rawValue: "contextFull")
        /// The deadline of the limits that held has passed; see `WorkLimits`.
        public static let deadline = Code(rawValue: "deadline")
        /// Nobody wants it done any more; see `WorkLimits`.
        public static let cancelled = Code(rawValue: "cancelled")
        /// Another program has the store for itself, and did not let go of it in time; nothing was changed.
        public static let locked = Code(rawValue: "locked")
        /// Too much else was done with the store for its turn to come in time; nothing was changed.
        public static let busy = Code(rawValue: "busy")
        /// A request for which a store would have to look at more objects in memory than it may.
        public static let tooExpensive = Code(rawValue: "tooExpensive")
        /// Rows that take more memory than those of one request may; see `ReadAllowance`.
        public static let tooMuchRead = Code(rawValue: "tooMuchRead")
        /// Bytes that are no archive of a context, or are damaged.
        public static let invalidArchive = Code(rawValue: "invalidArchive")
        /// The store has no keys left for new objects.
        public static let noKeys = Code(rawValue: "noKeys")
        /// There is no room for what was to be written.
        public static let diskFull = Code(rawValue: "diskFull")
        /// What a store is kept in was deleted, moved or replaced while it was open.
        public static let storeGone = Code(rawValue: "storeGone")
        /// The store has a part of a save into several stores of which can't be found out whether it was done; nothing was saved.
        public static let undecided = Code(rawValue: "undecided")
    }

    public let code: Code
    public let message: String
    public var objectID: ManagedObjectID?
    public var property: String?
    public var hint: String?
    /// The row of a batch insert, counted from one, that could not be inserted.
    public var row: Int?
    /// How many rows of a batch insert are in the store nevertheless, since their chunks were written before.
    public var inserted: Int?
    /// What was not valid: all of it, or the first thousand failures.
    public var failures: [ValidationFailure] = []
    /// How many failures there are besides.
    var omittedFailures = 0
    /// How many failures there are in all.
    public var failureCount: Int { failures.count + omittedFailures }
    /// Rows that others have changed.
    public var conflicts: [MergeConflict] = []
    /// Values that must be unique and aren't.
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

    public var description: String { hint.map { "\(message) \($0)" } ?? message }
}
