// SPDX-License-Identifier: Apache-2.0

// What a store lost and got back when it was taken back to an earlier time.

/// The result of taking a store back to an earlier time.
public struct RewindReport: Hashable, Sendable {
    /// An object, by the name of its entity and its key.
    public struct Object: Hashable, Sendable {
        public let entity: String
        public let key: Int64

        public init(entity: String, key: Int64) {
            self.entity = entity
            self.key = key
        }
    }

    /// An object with properties whose values at that time aren't known: they have changed both before and after it.
    public struct UnknownValues: Hashable, Sendable {
        public let object: Object
        public let properties: [String]
    }

    /// The number of transactions whose changes aren't in the store any more.
    public var undoneTransactions = 0
    /// The number of objects that didn't exist at that time.
    public var removedObjects = 0
    /// The number of objects that have their values of that time again.
    public var restoredObjects = 0
    /// By entity and key. These properties have an older or a newer value.
    public var unknown: [UnknownValues] = []
    /// Objects that existed at that time, and whose values aren't known at all.
    public var lost: [Object] = []
    /// What a check of the store still finds.
    public var findings: [StoreFinding] = []
}

/// The unknown values as they are found.
struct UnknownProperties {
    private var names: [RewindReport.Object: Set<String>] = [:]

    mutating func add(_ property: String, of object: RewindReport.Object) {
        names[object, default: []].insert(property)
    }

    mutating func remove(_ object: RewindReport.Object) { names[object] = nil }

    var list: [RewindReport.UnknownValues] {
        names.sorted { ($0.key.entity, $0.key.key) < ($1.key.entity, $1.key.key) }
            .map { RewindReport.UnknownValues(object: $0.key, properties: $0.value.sorted()) }
    }
}
