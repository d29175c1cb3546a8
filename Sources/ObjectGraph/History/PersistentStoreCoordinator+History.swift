// SPDX-License-Identifier: Apache-2.0

// The histories of all stores, read and trimmed together.

public import FoundationEssentials

extension PersistentStoreCoordinator {
    /// The stores that keep a history.
    var historyStores: [any HistoryStore] {
        stores.compactMap { store in (store as? any HistoryStore).flatMap { $0.keepsHistory ? $0 : nil } }
    }

    /// Whether any store keeps a history.
    public var keepsHistory: Bool { !historyStores.isEmpty }

    /// Whether all stores keep a history.
    package var keepsWholeHistory: Bool { keepsHistory && historyStores.count == stores.count }

    /// Reads what has changed. Throws `historyTrimmed` if the stores don't have all of it any more.
    public func history(_ request: HistoryRequest) throws(GraphError) -> HistoryResult {
        try StoreCallback.checkReading(self)
        let stores = historyStores
        guard !stores.isEmpty else { throw .historyUnkept }
        if let token = request.token, !token.stores.isSubset(of: stores.map(\.identifier)) { throw .historyReplaced }
        var parts: [HistoryPart] = []
        for store in stores {
            if let object = request.filter.object, object.storeIdentifier != store.identifier { continue }
            parts.append(try part(of: request, in: store))
        }
        return HistoryResult(merging: parts, limit: request.limit, after: request.token ?? HistoryToken())
    }

    /// The part of one store. Reads on while a predicate rejects everything.
    private func part(of request: HistoryRequest, in store: any HistoryStore) throws(GraphError) -> HistoryPart {
        let conditions = HistoryConditions(request)
        var asked = StoreHistoryRequest(
            after: request.token?[store.identifier],
            limit: request.limit,
            changeLimit: request.changeLimit
        )
        asked.filter = request.filter
        while true {
            var found = try GraphError.wrapping { try store.history(asked) }
            found.transactions = try conditions.filter(found.transactions)
            guard found.transactions.isEmpty, found.hasMore, request.limit > 0 else {
                return HistoryPart(store: store.identifier, result: found)
            }
            asked.position = found.position
        }
    }

    /// The end of all histories, in a state of the stores or now.
    public func currentHistoryToken(at state: QueryGenerationToken? = nil) throws(GraphError) -> HistoryToken {
        try StoreCallback.checkReading(self)
        var token = HistoryToken()
        for store in historyStores {
            let generation = state?.generation(of: store)
            token[store.identifier] = try GraphError.wrapping { try store.historyEnd(at: generation) }
        }
        return token
    }

    /// Trims all histories, and returns the number of removed transactions. Those that a consumer hasn't read stay.
    ///
    ///     try coordinator.trimHistory { trim in trim.before = .now - 7 * 86_400 }
    @discardableResult
    public func trimHistory(_ configure: (inout HistoryTrim) -> Void) throws(GraphError) -> Int {
        var trim = HistoryTrim()
        configure(&trim)
        return try trimHistory(trim) { _ in nil }
    }

    /// Trims all histories up to a token, except what a consumer hasn't read.
    @discardableResult
    public func trimHistory(through token: HistoryToken) throws(GraphError) -> Int {
        try trimHistory(HistoryTrim()) { token[$0]?.transaction ?? 0 }
    }

    private func trimHistory(
        _ trim: HistoryTrim,
        through last: (UUID) -> Int64?
    ) throws(GraphError) -> Int {
        try StoreCallback.checkWriting(self)
        var count = 0
        for store in historyStores where !store.isReadOnly {
            var trim = trim
            trim.through = last(store.identifier) ?? trim.through
            count += try GraphError.wrapping { try store.trimHistory(trim) }
        }
        return count
    }

    /// The registered consumers with their positions in all stores.
    public func historyConsumers() throws(GraphError) -> [String: (token: HistoryToken, date: Date)] {
        try StoreCallback.checkReading(self)
        var consumers: [String: (token: HistoryToken, date: Date)] = [:]
        for store in historyStores {
            for consumer in try GraphError.wrapping({ try store.historyConsumers() }) {
                var known = consumers[consumer.name] ?? (HistoryToken(), consumer.date)
                known.token[store.identifier] = consumer.position
                known.date = max(known.date, consumer.date)
                consumers[consumer.name] = known
            }
        }
        return consumers
    }

    /// The names of the attributes and to-one relationships of an object that have changed between two versions of its
    /// row, or nil if no history says that.
    public func changedProperties(
        of objectID: ManagedObjectID,
        from base: Int64,
        to version: Int64
    ) throws(GraphError) -> Set<String>? {
        try StoreCallback.checkReading(self)
        guard version > base, let store = historyStores.first(where: { $0.identifier == objectID.storeIdentifier })
        else { return nil }
        let (difference, overflows) = version.subtractingReportingOverflow(base)
        guard !overflows, difference <= Self.comparedChanges else { return nil }
        let count = Int(difference)
        var limit = count
        while true {
            let changes = try GraphError.wrapping { try store.latestChanges(of: objectID, limit: limit) }
            var names: Set<String> = []
            var found = 0
            for change in changes {
                guard change.kind == .update, let properties = change.properties else { return nil }
                names.formUnion(properties)
                if change.incrementsVersion == true { found += 1 }
                if found == count { return names.filter(change.objectID.entity.isStoredInRow) }
            }
            guard changes.count == limit, limit < Self.comparedChanges else { return nil }
            limit = min(4 * limit, Self.comparedChanges)
        }
    }

    private static let comparedChanges = 10_000

    /// Registers a consumer, or moves it: what follows its token isn't trimmed. Throws `historyTrimmed` if that was
    /// trimmed already.
    public func setHistoryConsumer(_ name: String, to token: HistoryToken) throws(GraphError) {
        try StoreCallback.checkWriting(self)
        let stores = historyStores.filter { !$0.isReadOnly }
        guard !stores.isEmpty else { throw .historyUnkept }
        guard token.stores.isSubset(of: historyStores.map(\.identifier)) else { throw .historyReplaced }
        let positions = stores.map { token[$0.identifier] ?? .start }
        // None is moved if a position is refused.
        for (store, position) in zip(stores, positions) {
            _ = try GraphError.wrapping { try store.history(StoreHistoryRequest(after: position, limit: 0)) }
        }
        for (store, position) in zip(stores, positions) {
            try GraphError.wrapping { try store.setHistoryConsumer(name, to: position) }
        }
    }

    /// Removes a consumer.
    public func removeHistoryConsumer(_ name: String) throws(GraphError) {
        try StoreCallback.checkWriting(self)
        guard try historyConsumers()[name] != nil else { throw .unknownConsumer(name) }
        for store in historyStores where !store.isReadOnly {
            try GraphError.wrapping { try store.setHistoryConsumer(name, to: nil) }
        }
    }
}

/// The result of one store.
struct HistoryPart {
    let store: UUID
    let result: StoreHistoryResult
}

extension HistoryResult {
    /// Merges the results of several stores by time.
    init(merging parts: [HistoryPart], limit: Int, after start: HistoryToken) {
        var token = start
        var transactions: [HistoryTransaction] = []
        var next = parts.map { _ in 0 }
        func first() -> Int? {
            parts.indices.filter { next[$0] < parts[$0].result.transactions.count }
                .min {
                    parts[$0].result.transactions[next[$0]].timestamp
                        < parts[$1].result.transactions[next[$1]].timestamp
                }
        }
        while transactions.count < limit, let place = first() {
            let result = parts[place].result
            var transaction = result.transactions[next[place]]
            token[parts[place].store] =
                transaction.isPartial ? result.position : HistoryToken.Position(transaction: transaction.number)
            transaction.token = token
            transactions.append(transaction)
            next[place] += 1
        }
        var hasMore = false
        for (place, part) in parts.enumerated() {
            let isComplete = next[place] == part.result.transactions.count
            hasMore = hasMore || !isComplete || part.result.hasMore
            if isComplete { token[part.store] = part.result.position }
        }
        self.init(transactions: transactions, token: token, hasMore: hasMore)
    }
}
