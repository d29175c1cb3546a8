// SPDX-License-Identifier: Apache-2.0

// Fetches, on whatever reads the graph.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates

extension API {
    /// A fetch from the stores, or that nothing has changed since it was done last.
    func fetch(_ plan: FetchPlan) throws -> Reply {
        let tag = tag(of: plan)
        if let tag, plan.conditions?.matchesWeakly(tag) == true {
            // Any state will do, and there is none where there is no owner. Tags are of owners that were there.
            if plan.conditions == .any, let owner = plan.source.owner {
                _ = try coordinator.read { try row(owner, $0) }
            }
            return .unchanged(tag)
        }
        var reply = try coordinator.read { reader in try fetch(plan, reader) }
        if let tag { reply.fields[.etag] = tag.description }
        return reply
    }

    func fetch(_ plan: FetchPlan, _ reader: some GraphReading) throws -> Reply {
        var plan = plan
        switch plan.source {
        case .all: break
        case .members(let owner, _): _ = try row(owner, reader)
        case .ordered(let owner, let relationship):
            return try members(plan, relationship, of: row(owner, reader), reader)
        case .oneWay(let owner, let relationship):
            let owners = [try row(owner, reader).objectID]
            let members = try reader.related(along: relationship, owners: owners, matching: nil).members[0]
            plan.membership = .comparing(.evaluatedObject, .in, .constant(.array(members.map(\.value))))
        case .fetched(let owner, let property):
            let source = FetchedPropertySource(property, of: try row(owner, reader), reader)
            plan.membership = try property.property.fetchRequest.objectPredicate.map(source.bound)
        }
        if plan.isExplained { return Reply(.json(try explanation(of: plan))) }
        switch plan.result {
        case .objects, .ids: return try page(plan, reader)
        case .count: return Reply(.json(["count": .integer(try plan.limit == 0 ? 0 : reader.count(plan.request))]))
        case .dictionary: return try table(plan, reader)
        }
    }

    // MARK: Objects

    private func page(_ plan: FetchPlan, _ reader: some GraphReading) throws -> Reply {
        var list = ListDTO(items: .references([]))
        let limit = plan.limit ?? options.maximumPageSize
        var last: Snapshot?
        // One more tells whether there is another page.
        var request = plan.request
        request.fetchLimit = limit + 1
        let start = try plan.cursor.map { try keys(of: $0, request, reader) }
        if limit > 0, plan.result == .ids {
            let found = try reader.objectIDs(request, after: start)
            list.items = .references(Array(found.prefix(limit)))
            if found.count > limit { last = try reader.snapshots(of: [found[limit - 1]])[0] }
        } else if plan.result != .ids {
            let rows = limit == 0 ? [] : try reader.page(request, after: start)
            list.items = .objects(try assembler(reader).objects(Array(rows.prefix(limit)), plan.selection))
            if rows.count > limit { last = rows[limit - 1] }
        }
        if let last, let link = plan.link {
            let cursor = Cursor(keys: try reader.sortKeys(of: last, for: request))
            list.next = link.page("cursor", cursor.text(of: plan.binding))
        }
        if plan.countsAll { list.total = try reader.count(plan.wholeRequest) }
        return Reply(.list(list))
    }

    /// The values that a page goes on behind. Long texts aren't in the cursor, and are read again.
    func keys(
        of cursor: Cursor,
        _ request: FetchRequest<ManagedObject>,
        _ reader: some GraphReading
    ) throws -> [Value] {
        var present: [Value?] = cursor.keys.map { _ in nil }
        if cursor.isAbbreviated, case .value(.reference(let last))? = cursor.keys.last,
            let objectID = coordinator.objectID(forURI: last.uri), let row = try reader.snapshots(of: [objectID])[0]
        {
            present = try reader.sortKeys(of: row, for: request)
        }
        return zip(zip(cursor.keys, present), request.keyedSortDescriptors).map { $0.0.value(knowing: $0.1, $1) }
    }

    /// The members of a relationship in its own order. A page goes on behind the last member of the one before, or at its place if
    /// that is gone.
    private func members(
        _ plan: FetchPlan,
        _ relationship: RelationshipDescription,
        of owner: Snapshot,
        _ reader: some GraphReading
    ) throws -> Reply {
        let limit = plan.limit ?? options.maximumPageSize
        let (end, isBeyond) = plan.offset.addingReportingOverflow(limit + 1)
        let isWhole = plan.cursor != nil || plan.countsAll || isBeyond
        let request = RelatedRequest(predicate: plan.predicate, limit: isWhole ? nil : end)
        let related = try reader.related(along: relationship, owners: [owner.objectID], matching: request)
        let members = related.members[0]
        var start = plan.offset
        if let cursor = plan.cursor, case .value(.integer(let place)) = cursor.keys[0] {
            let last = members.firstIndex { .value($0.value) == cursor.keys[1] }
            start = last.map { $0 + 1 } ?? Int(clamping: place)
        }
        start = min(max(start, 0), members.count)
        let page = members[start...].prefix(limit)
        var list = ListDTO(items: .references(Array(page)))
        if plan.result == .objects {
            let rows = Dictionary(related.rows.map { ($0.objectID, $0) }) { first, _ in first }
            list.items = .objects(try assembler(reader).objects(page.compactMap { rows[$0] }, plan.selection))
        }
        if let last = page.last, page.endIndex < members.count, let link = plan.link {
            let cursor = Cursor(keys: [.integer(Int64(page.endIndex)), last.value])
            list.next = link.page("cursor", cursor.text(of: plan.binding))
        }
        if plan.countsAll { list.total = members.count }
        return Reply(.list(list))
    }

    // MARK: Dictionaries

    private func table(_ plan: FetchPlan, _ reader: some GraphReading) throws -> Reply {
        guard let table = plan.table else { throw Problem(.internal, "A fetch of dictionaries has no columns.") }
        let limit = plan.limit ?? options.maximumPageSize
        var request = plan.request
        request.fetchLimit = limit + 1
        let rows = limit == 0 ? [] : try reader.table(request).rows
        var found = TableDTO(columns: table.columns, rows: Array(rows.prefix(limit)))
        if rows.count > limit { found.next = plan.link?.page("offset", "\(plan.offset + limit)") }
        if plan.countsAll {
            // How many groups there are is known only when they are made.
            found.total =
                table.takesTogether
                ? try reader.table(plan.wholeRequest).rows.count : try reader.count(plan.numberRequest)
        }
        return Reply(.table(found))
    }
}

extension FetchPlan {
    /// The request for all pages.
    fileprivate var wholeRequest: FetchRequest<ManagedObject> {
        var request = request
        (request.fetchLimit, request.fetchOffset, request.sortDescriptors) = (0, 0, [])
        return request
    }

    /// The request for the number of rows that a table has where each is of one object.
    fileprivate var numberRequest: FetchRequest<ManagedObject> {
        var plan = self
        plan.table = nil
        return plan.wholeRequest
    }
}

extension GraphReading {
    /// The IDs of a page, as `page(_:after:)` gives the rows.
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
        for var part in try request.continuations(after: keys) where found.count < request.fetchLimit {
            part.fetchLimit = request.fetchLimit - found.count
            found += try objectIDs(part)
        }
        return found
    }
}
