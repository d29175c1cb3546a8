// SPDX-License-Identifier: Apache-2.0

// The history of an atomic store, and its representation in its file.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates

/// The transactions of an atomic store.
///
/// 1. The newest transaction is never removed, and numbers are never assigned again.
/// 2. At most `changeLimit` changes are kept besides the newest transaction, since a store with a file writes all of it
///    with each save.
struct AtomicHistory: Sendable {
    /// Whether changes are recorded. If not, the next save removes those that there are.
    var isKept = true
    /// In order; shared by the states of the store.
    private var transactions: ArraySlice<HistoryTransaction> = []
    private var changeCount = 0
    /// The last transaction that was removed, and the last change.
    private var trimmed: Int64 = 0
    private var lastChange: Int64 = 0
    private(set) var consumers: [String: HistoryConsumer] = [:]
    private let changeLimit: Int
    /// How many numbers the next transaction skips: the first one after opening a file, as in a SQLite store.
    private var skipped: Int64 = 0

    init(hasFile: Bool) { changeLimit = hasFile ? 1_000 : 100_000 }

    var end: HistoryToken.Position { HistoryToken.Position(transaction: transactions.last?.number ?? trimmed) }
}

// MARK: Recording

extension AtomicHistory {
    /// Records a save.
    ///
    /// - Parameters:
    ///   - written: The rows after the save, including those with only recomputed values.
    ///   - former: The rows that it updates or deletes before the save.
    mutating func record(
        _ request: StoreSaveRequest,
        written: [Snapshot],
        of origin: SaveOrigin,
        in store: UUID,
        former: [ManagedObjectID: Snapshot]
    ) {
        guard isKept else { return removeAll() }
        var changes: [HistoryChange] = []
        func add(
            _ kind: HistoryChange.Kind,
            _ objectID: ManagedObjectID,
            _ properties: [String]? = [],
            tombstone: [String: Value] = [:]
        ) {
            lastChange += 1
            changes.append(
                HistoryChange(
                    number: lastChange,
                    objectID: objectID,
                    kind: kind,
                    properties: properties,
                    tombstone: tombstone
                )
            )
        }
        for insertion in request.insertions { add(.insert, insertion.objectID) }
        for (objectID, properties) in request.changedProperties(written: written, former: former) {
            add(.update, objectID, properties.sorted())
        }
        for deletion in request.deletions {
            add(.delete, deletion.objectID, tombstone: former[deletion.objectID]?.preservedValues ?? [:])
        }
        guard !changes.isEmpty else { return }
        var transaction = HistoryTransaction(
            store: store,
            number: end.transaction + 1 + skipped,
            timestamp: .now,
            author: origin.author,
            contextName: origin.contextName
        )
        skipped = 0
        transaction.changes = changes
        transactions.append(transaction)
        changeCount += changes.count
        while changeCount - changes.count > changeLimit { removeFirst() }
    }

    /// Later transactions get greater numbers, so that no token is valid any more.
    private mutating func removeAll() {
        trimmed = end.transaction + 1
        transactions = []
        changeCount = 0
        consumers = [:]
    }

    private mutating func removeFirst() {
        let first = transactions.removeFirst()
        trimmed = first.number
        changeCount -= first.changes.count
    }
}

extension Snapshot {
    fileprivate var preservedValues: [String: Value] {
        let entity = objectID.entity
        let preserved = entity.attributes.filter { attribute in
            attribute.attribute.isPreservedAfterDeletion && row.attributes[attribute.slot] != .null
        }
        return Dictionary(uniqueKeysWithValues: preserved.map { ($0.name, row.attributes[$0.slot]) })
    }
}

// MARK: Reading and trimming

extension AtomicHistory {
    func check(_ position: HistoryToken.Position) throws(GraphError) {
        guard position.transaction >= trimmed else { throw .historyTrimmed }
        guard position.transaction > trimmed || position.change != nil else { return }
        let isKnown = transactions.contains { transaction in
            guard let change = position.change else { return transaction.number == position.transaction }
            guard transaction.number - 1 == position.transaction else { return false }
            return transaction.changes.contains { $0.number == change }
        }
        guard isKnown else { throw .historyReplaced }
    }

    func result(of request: StoreHistoryRequest) throws(GraphError) -> StoreHistoryResult {
        if let position = request.position { try check(position) }
        guard request.limit > 0 else {
            let position = request.position ?? end
            return StoreHistoryResult(transactions: [], position: position, hasMore: position < end)
        }
        var result = StoreHistoryResult(transactions: [], position: request.position ?? .start, hasMore: false)
        var room = max(request.changeLimit, 1)
        for transaction in transactions where transaction.number > result.position.transaction {
            guard request.filter.selects(transaction) else { continue }
            var selected = transaction
            let known = request.position.flatMap { $0.transaction == transaction.number - 1 ? $0.change : nil } ?? 0
            selected.changes.removeAll { $0.number <= known || !request.filter.selects($0) }
            guard !selected.changes.isEmpty else { continue }
            guard result.transactions.count < request.limit, room > 0 else {
                result.hasMore = true
                return result
            }
            if selected.changes.count > room {
                selected.changes.removeSubrange(room...)
                selected.isPartial = true
            }
            room -= selected.changes.count
            result.transactions.append(selected)
            result.position = HistoryToken.Position(transaction: transaction.number)
            if selected.isPartial, let last = selected.changes.last {
                result.position = HistoryToken.Position(transaction: transaction.number - 1, change: last.number)
                result.hasMore = true
                return result
            }
        }
        result.position = end
        return result
    }

    func latestChanges(of objectID: ManagedObjectID, limit: Int) -> [HistoryChange] {
        let changes = transactions.reversed().lazy.flatMap { $0.changes.reversed() }
        return Array(changes.filter { $0.objectID == objectID }.prefix(limit))
    }

    /// Returns the number of removed transactions.
    mutating func trim(_ trim: HistoryTrim) -> Int {
        let count = transactions.count
        let held = consumers.values.filter { consumer in
            let isRecent = trim.consumersBefore.map { consumer.date >= $0 } ?? true
            let isClose = trim.consumerChangeLimit.map { changeCount(after: consumer.position) <= $0 } ?? true
            return isRecent && isClose
        }
        let unread = held.map(\.position.transaction).min() ?? .max
        while transactions.count > 1, let first = transactions.first, first.number <= unread {
            let isRequested = trim.through.map { first.number <= $0 } ?? false
            let isExpired = trim.before.map { first.timestamp < $0 } ?? false
            let isSurplus = trim.changeLimit.map { changeCount > $0 } ?? false
            guard isRequested || isExpired || isSurplus else { break }
            removeFirst()
        }
        return count - transactions.count
    }

    private func changeCount(after position: HistoryToken.Position) -> Int {
        transactions.lazy.filter { $0.number > position.transaction }.reduce(0) { $0 + $1.changes.count }
    }

    mutating func set(_ name: String, to position: HistoryToken.Position?) throws(GraphError) {
        guard let position else {
            consumers[name] = nil
            return
        }
        try check(position)
        consumers[name] = HistoryConsumer(name: name, position: position, date: .now)
    }
}

// MARK: Migrating

extension AtomicHistory {
    /// The history in another version of the model. Changes of removed entities are removed.
    func migrated(by mapping: ResolvedMapping) -> AtomicHistory {
        var history = self
        history.transactions = ArraySlice(
            transactions.map { transaction in
                var transaction = transaction
                transaction.changes = transaction.changes.compactMap { $0.migrated(by: mapping) }
                return transaction
            }
        )
        history.changeCount = history.transactions.reduce(0) { $0 + $1.changes.count }
        return history
    }
}

extension HistoryChange {
    fileprivate func migrated(by mapping: ResolvedMapping) -> HistoryChange? {
        guard let plan = mapping.plan(of: objectID.entity), let store = objectID.storeIdentifier,
            let reference = objectID.reference
        else { return nil }
        var values: [String: Value] = [:]
        for attribute in plan.attributes {
            guard let source = attribute.source, let value = tombstone[source.name] else { continue }
            values[attribute.attribute.name] = source.attribute.type.converted(value, to: attribute.attribute.type)
        }
        return HistoryChange(
            number: number,
            objectID: ManagedObjectID(entity: plan.destination, store: store, reference: reference),
            kind: kind,
            properties: properties?.compactMap(plan.name).sorted(),
            tombstone: values
        )
    }
}

// MARK: In a file

extension AtomicHistory {
    /// The reserved key of the history in a file's metadata, which is hidden from clients.
    static let key = "OutcropHistory"

    /// Removes the history from the metadata of a file. Changes of unknown entities are dropped.
    init(extractingFrom metadata: inout StoreMetadata, of store: UUID, in model: ManagedObjectModel) {
        self.init(hasFile: true)
        skipped = .random(in: 1...(1 << 32))
        guard case .dictionary(let members)? = metadata.values.removeValue(forKey: Self.key) else { return }
        trimmed = members["trimmed"]?.integer ?? 0
        lastChange = members["lastChange"]?.integer ?? 0
        for case .dictionary(let member) in members["transactions"]?.members ?? [] {
            guard let transaction = HistoryTransaction(member, of: store, in: model) else { continue }
            transactions.append(transaction)
            changeCount += transaction.changes.count
        }
        guard case .dictionary(let consumers)? = members["consumers"] else { return }
        for (name, value) in consumers {
            guard case .dictionary(let member) = value, let number = member["transaction"]?.integer,
                case .date(let date)? = member["date"]
            else { continue }
            let position = HistoryToken.Position(transaction: number, change: member["change"]?.integer)
            self.consumers[name] = HistoryConsumer(name: name, position: position, date: date)
        }
    }

    /// Adds the history to the metadata of a file.
    func added(to metadata: StoreMetadata) -> StoreMetadata {
        guard !transactions.isEmpty || trimmed > 0 || !consumers.isEmpty else { return metadata }
        var metadata = metadata
        var members: [String: Value] = [
            "trimmed": .integer(trimmed), "lastChange": .integer(lastChange),
            "transactions": .array(transactions.map { .dictionary($0.members) }),
        ]
        if !consumers.isEmpty {
            members["consumers"] = .dictionary(
                consumers.mapValues { consumer in
                    var member: [String: Value] = [
                        "transaction": .integer(consumer.position.transaction), "date": .date(consumer.date),
                    ]
                    member["change"] = consumer.position.change.map(Value.integer)
                    return .dictionary(member)
                }
            )
        }
        metadata.values[Self.key] = .dictionary(members)
        return metadata
    }
}

extension HistoryTransaction {
    fileprivate init?(_ members: [String: Value], of store: UUID, in model: ManagedObjectModel) {
        guard let number = members["number"]?.integer, case .date(let date)? = members["date"] else { return nil }
        self.init(
            store: store,
            number: number,
            timestamp: date,
            author: members["author"]?.text,
            contextName: members["context"]?.text
        )
        changes = (members["changes"]?.members ?? []).compactMap { value in
            guard case .dictionary(let members) = value else { return nil }
            return HistoryChange(members, of: store, in: model)
        }
    }

    fileprivate var members: [String: Value] {
        var members: [String: Value] = [
            "number": .integer(number), "date": .date(timestamp),
            "changes": .array(changes.map { .dictionary($0.members) }),
        ]
        members["author"] = author.map(Value.string)
        members["context"] = contextName.map(Value.string)
        return members
    }
}

extension HistoryChange {
    fileprivate init?(_ members: [String: Value], of store: UUID, in model: ManagedObjectModel) {
        guard let number = members["number"]?.integer, let code = members["kind"]?.integer,
            let kind = Kind(rawValue: Int(code)), let reference = members["reference"]?.integer,
            let entity = members["entity"]?.text.flatMap(model.entity(named:))
        else { return nil }
        var tombstone: [String: Value] = [:]
        if case .dictionary(let values)? = members["tombstone"] { tombstone = values }
        self.init(
            number: number,
            objectID: ManagedObjectID(entity: entity, store: store, reference: .integer(reference)),
            kind: kind,
            properties: members["properties"]?.members.compactMap(\.text) ?? [],
            tombstone: tombstone
        )
    }

    fileprivate var members: [String: Value] {
        var members: [String: Value] = [
            "number": .integer(number), "kind": .integer(Int64(kind.rawValue)),
            "entity": .string(objectID.entity.name),
        ]
        if case .integer(let reference)? = objectID.reference { members["reference"] = .integer(reference) }
        if let properties, !properties.isEmpty { members["properties"] = .array(properties.map(Value.string)) }
        if !tombstone.isEmpty { members["tombstone"] = .dictionary(tombstone) }
        return members
    }
}

extension Value {
    fileprivate var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    fileprivate var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    fileprivate var members: [Value] {
        if case .array(let members) = self { members } else { [] }
    }
}
