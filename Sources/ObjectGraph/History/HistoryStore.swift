// SPDX-License-Identifier: Apache-2.0

// The protocol of stores that keep a history of their changes.

public import FoundationEssentials

/// A store that records the changes of its saves and batches.
///
/// 1. A transaction is recorded together with its rows, or neither is. Its author and context are those of the
///    `Commit`.
/// 2. The numbers of transactions and changes ascend in commit order, and are never assigned again.
/// 3. Trimming removes the oldest transactions, never the newest one.
public protocol HistoryStore: PersistentStore {
    /// Whether changes are recorded at present. If not, there is no history.
    var keepsHistory: Bool { get }

    /// Reads transactions. Throws `GraphError.historyTrimmed` if some of those after the position were trimmed, or the
    /// position is of another history.
    func history(_ request: StoreHistoryRequest) throws -> StoreHistoryResult

    /// The latest changes of an object, the newest first.
    func latestChanges(of objectID: ManagedObjectID, limit: Int) throws -> [HistoryChange]

    /// The last transaction's position, in a state of the store or now.
    func historyEnd(at generation: (any StoreGeneration)?) throws -> HistoryToken.Position

    /// Removes old transactions, in short writes, and returns their number.
    func trimHistory(_ trim: HistoryTrim) throws -> Int

    /// The registered consumers, by name.
    func historyConsumers() throws -> [HistoryConsumer]

    /// Registers a consumer at a position, or removes it.
    func setHistoryConsumer(_ name: String, to position: HistoryToken.Position?) throws
}

/// A request for the history of one store.
public struct StoreHistoryRequest: Sendable {
    /// Nil for everything that the store keeps.
    public var position: HistoryToken.Position?
    public var filter = HistoryFilter()
    /// With zero, the position itself is the result, or the end of the history.
    public var limit: Int
    public var changeLimit: Int

    public init(after position: HistoryToken.Position?, limit: Int = .max, changeLimit: Int = .max) {
        self.position = position
        self.limit = limit
        self.changeLimit = changeLimit
    }
}

public struct StoreHistoryResult: Sendable {
    public var transactions: [HistoryTransaction]
    /// Behind the result, including the transactions that the filter has omitted.
    public var position: HistoryToken.Position
    public var hasMore: Bool

    public init(transactions: [HistoryTransaction], position: HistoryToken.Position, hasMore: Bool) {
        self.transactions = transactions
        self.position = position
        self.hasMore = hasMore
    }
}

/// Which transactions to remove from a history. Of several conditions, one suffices.
public struct HistoryTrim: Hashable, Sendable {
    /// Those up to this one.
    public var through: Int64?
    /// Those that are older.
    public var before: Date?
    /// As many of the oldest as there are more changes than this number.
    public var changeLimit: Int?
    /// Consumers whose position is older than this date or number of changes don't hold trimming back, and lose what
    /// they haven't read.
    public var consumersBefore: Date?
    public var consumerChangeLimit: Int?
    /// The approximate number of changes to remove in one write.
    public var batchSize = 10_000

    public init() {}
}

/// A reader of the history for which unread transactions are kept.
public struct HistoryConsumer: Hashable, Sendable {
    public let name: String
    /// The position up to which it has read.
    public let position: HistoryToken.Position
    /// When it was last registered.
    public let date: Date

    public init(name: String, position: HistoryToken.Position, date: Date) {
        self.name = name
        self.position = position
        self.date = date
    }
}
