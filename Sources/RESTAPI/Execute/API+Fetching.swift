// SPDX-License-Identifier: Apache-2.0

// Fetches from any `GraphReading`.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates

extension API {
    /// Fetches from the stores, or answers that nothing has changed since the last fetch.
    func fetch(_ plan: FetchPlan) throws -> Reply {
        guard plan.format == .json else { return try stream(plan) }
        let entities = entities(of: plan)
        let tag = entities.map { self.tag(of: plan, reading: $0) }
        if let tag, plan.ifNoneMatch?.matchesWeakly(tag) == true {
            // “*” matches any state, but a missing owner has none. A tag shows that the owner existed.
            if plan.ifNoneMatch == .any, let owner = plan.source.owner {
                _ = try read { try row(owner, from: $0) }
            }
            var reply = Reply.unchanged(tag)
            reply.entities = entities
            return reply
        }
        var reply = try read(pinned: plan.needsSeveralReads) { reader in try fetch(plan, reader) }
        reply.entities = entities
        if let tag { reply.fields[.etag] = tag.description }
        return reply
    }

    func fetch(_ plan: FetchPlan, _ reader: some GraphReading) throws -> Reply {
        let (plan, owner) = try resolvingSource(plan, from: reader)
        if plan.isExplained {
            if access != nil { throw Problem.administration }
            return Reply(.json(try explanation(of: plan, owner: owner, in: reader.context)))
        }
        switch plan.result {
        case .objects, .ids: return Reply(.list(try list(plan, of: owner, from: reader)))
        case .count: return Reply(.json(["count": .integer(try plan.limit == 0 ? 0 : reader.count(plan.request))]))
        case .dictionary: return try table(plan, from: reader)
        }
    }

    /// The plan with the condition for objects of its source, and the owner of an ordered relationship.
    func resolvingSource(
        _ plan: FetchPlan,
        from reader: some GraphReading
    ) throws -> (plan: FetchPlan, owner: Snapshot?) {
        if let base = plan.base(of: reader) { return try resolvingSource(plan, from: base) }
        var plan = plan
        switch plan.source {
        case .all: break
        case .members(let owner, _): _ = try row(owner, from: reader)
        case .ordered(let owner, _): return (plan, try row(owner, from: reader))
        case .oneWay(let owner, let relationship):
            let owners = [try row(owner, from: reader).objectID]
            let members = try reader.related(along: relationship, owners: owners, matching: nil).members[0]
            plan.membership = .comparing(.evaluatedObject, .in, .constant(.array(members.map(\.value))))
        case .fetched(let owner, let property):
            let source = FetchedPropertySource(property, of: try row(owner, from: reader), from: reader)
            plan.membership = try property.property.fetchRequest.objectPredicate.map(source.bound)
        }
        return (plan, nil)
    }

    /// A page of objects, in the requested order or in that of the relationship.
    func list(_ plan: FetchPlan, of owner: Snapshot?, from reader: some GraphReading) throws -> ListDTO {
        if let base = plan.base(of: reader) { return try list(plan, of: owner, from: base) }
        if case .ordered(_, let relationship) = plan.source, let owner {
            return try members(plan, along: relationship, of: owner, from: reader)
        }
        return try page(plan, reader)
    }

    private func explanation(
        of plan: FetchPlan,
        owner: Snapshot?,
        in context: ManagedObjectContext?
    ) throws -> JSONValue {
        guard case .ordered(_, let relationship) = plan.source, let owner else {
            return try explanation(of: plan, in: context)
        }
        return try explanation(of: request(plan), along: relationship, of: owner.objectID, in: context)
    }

    /// The maximum number of rows in a page.
    func limit(of plan: FetchPlan) -> Int { plan.limit ?? options.maximumPageSize }

    // MARK: Objects

    private func page(_ plan: FetchPlan, _ reader: some GraphReading) throws -> ListDTO {
        var list = ListDTO(items: .references([]))
        let limit = limit(of: plan)
        var last: Snapshot?
        // One more row shows whether there is another page.
        var request = plan.request
        request.fetchLimit = limit + 1
        let start = try plan.cursor.map { try keys(of: $0, request: request, from: reader) }
        if request.isByRelevance {
            // All pages use the relevance computed for the first one.
            request =
                try start.map { try request.continuations(after: $0, in: catalogue.model)[0] } ?? reader.ranked(request)
        }
        if limit > 0, plan.result == .ids {
            let found = try reader.objectIDs(request, after: start)
            list.items = .references(Array(found.prefix(limit)))
            if found.count > limit { last = try reader.snapshots(of: [found[limit - 1]])[0] }
        } else if plan.result != .ids {
            (list.items, last) = try items(request, limit: limit, of: plan, after: start, from: reader)
        }
        if let last {
            list.continueList(at: Cursor(keys: try reader.sortKeys(of: last, for: request)), for: plan, names: names)
        }
        if plan.countsAll { list.total = try reader.count(plan.allPagesRequest) }
        return list
    }

    /// The objects of a page, and the last one if there is another page.
    private func items(
        _ request: FetchRequest<ManagedObject>,
        limit: Int,
        of plan: FetchPlan,
        after start: [Value]?,
        from reader: some GraphReading
    ) throws -> (ListDTO.Items, last: Snapshot?) {
        guard limit > 0 else { return (.objects([]), nil) }
        if let (rows, hasMore) = try page(request, limit: limit, { try reader.rowPage($0, after: start) }) {
            var shown = try assembler(reader).rows(rows, selecting: plan.selection)
            if plan.selection.showsHighlights, let search = plan.search {
                shown.highlights = rows.map(search.highlights(in:))
            }
            return (.rows(shown), hasMore ? rows.last?.snapshot : nil)
        }
        let (rows, hasMore) = try page(request, limit: limit) { try reader.page($0, after: start) } ?? ([], false)
        var objects = try assembler(reader).objects(Array(rows), selecting: plan.selection)
        if plan.selection.showsHighlights, let search = plan.search {
            for index in objects.indices { objects[index].highlights = search.highlights(in: objects[index].row) }
        }
        return (.objects(objects), hasMore ? rows.last : nil)
    }

    /// A page, and whether there is another; the request has one more row to find out. If one row uses up the memory,
    /// it is a page by itself. Nil if the closure returns nil.
    func page<Rows: RandomAccessCollection>(
        _ request: FetchRequest<ManagedObject>,
        limit: Int,
        _ fetch: (FetchRequest<ManagedObject>) throws -> Rows?
    ) throws -> (rows: Rows.SubSequence, hasMore: Bool)? {
        do {
            guard let rows = try fetch(request) else { return nil }
            return (rows.prefix(limit), rows.count > limit)
        } catch let error as GraphError where error.code == .tooMuchRead && limit == 1 {
            var request = request
            request.fetchLimit = limit
            return try WorkLimits.withNewAllowance { try fetch(request) }.map { ($0[...], true) }
        }
    }

    /// The sort keys after which a page begins. Long texts aren't in the cursor and are read again.
    func keys(
        of cursor: Cursor,
        request: FetchRequest<ManagedObject>,
        from reader: some GraphReading
    ) throws -> [Value] {
        if request.isByRelevance {
            return cursor.keys.compactMap { key in
                if case .value(let value) = key { value } else { nil }
            }
        }
        var present: [Value?] = cursor.keys.map { _ in nil }
        if cursor.isAbbreviated, case .value(.reference(let last))? = cursor.keys.last,
            let objectID = names.objectID(forURI: last.uri),
            let row = try WorkLimits.withNewAllowance({ try reader.snapshots(of: [objectID])[0] })
        {
            present = try reader.sortKeys(of: row, for: request)
        }
        return zip(zip(cursor.keys, present), request.keyedSortDescriptors).map {
            $0.0.value(knowing: $0.1, sortedBy: $1)
        }
    }
}

extension ListDTO {
    /// Sets the cursor and link of the next page.
    mutating func continueList(at cursor: Cursor, for plan: FetchPlan, names: ObjectIDResolver) {
        self.cursor = cursor
        next = plan.link?.page("cursor", cursor.text(of: plan.binding(in: names)))
    }
}

extension FetchPlan {
    /// The state below a context if the plan excludes pending changes, or else nil.
    fileprivate func base(of reader: some GraphReading) -> NarrowedReader<CoordinatorReader>? {
        guard !includesPendingChanges, let context = reader.context else { return nil }
        let access = (reader as? NarrowedReader<ManagedObjectContext>)?.access
        return NarrowedReader(context.committedReader, for: access)
    }

    /// Whether one answer needs several reads, which must see the same state. A single read is cheaper without a state
    /// of its own, and can use cached rows.
    fileprivate var needsSeveralReads: Bool {
        switch source {
        case .oneWay, .fetched: return true
        case .all, .members, .ordered: break
        }
        // Continuing after a row takes several reads, and a row's sort keys may belong to another object.
        let readsOrder = cursor != nil || result == .ids || sortDescriptors.contains { $0.keyPath.followsRelationship }
        return countsAll || search != nil || table?.combinesObjects == false || !selection.embedded.isEmpty
            || (!sortDescriptors.isEmpty && readsOrder)
    }

    /// The request for all pages.
    var allPagesRequest: FetchRequest<ManagedObject> {
        var request = request
        request.fetchLimit = 0
        request.fetchOffset = 0
        request.sortDescriptors = []
        return request
    }
}

extension ObjectExpression {
    fileprivate var followsRelationship: Bool {
        if case .keyPath(_, let keys) = self { keys.count > 1 } else { true }
    }
}

extension GraphReading {
    /// The IDs of a page, like the rows of `page(_:after:)`.
    fileprivate func objectIDs(
        _ request: FetchRequest<ManagedObject>,
        after keys: [Value]?
    ) throws(GraphError) -> [ManagedObjectID] {
        guard let keys else {
            var first = request
            first.sortDescriptors = request.keyedSortDescriptors
            return try objectIDs(first)
        }
        var found: [ManagedObjectID] = []
        for var part in try request.continuations(after: keys, in: model) where found.count < request.fetchLimit {
            part.fetchLimit = request.fetchLimit - found.count
            found += try objectIDs(part)
        }
        return found
    }
}
