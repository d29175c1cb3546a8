// SPDX-License-Identifier: Apache-2.0

// Pages of the members of an ordered relationship.

import Basics
import ObjectGraph
import Predicates

extension API {
    /// The members of an ordered relationship in its order. A page begins after the current position of the previous
    /// page's last member.
    func members(
        _ plan: FetchPlan,
        along relationship: RelationshipDescription,
        of owner: Snapshot,
        from reader: some GraphReading
    ) throws -> ListDTO {
        let limit = limit(of: plan)
        let (related, hasMore) = try members(plan, along: relationship, of: owner, limit: limit, from: reader)
        let members = related.members[0]
        let page = members.dropFirst(plan.offset).prefix(limit)
        var list = ListDTO(items: .references(Array(page)))
        if plan.result == .objects {
            let rows = Dictionary(keepingFirst: related.rows.map { ($0.objectID, $0) })
            list.items = .objects(
                try assembler(reader).objects(page.compactMap { rows[$0] }, selecting: plan.selection)
            )
        }
        if hasMore, let last = page.last {
            let place = related.places.first?.dropFirst(page.endIndex - 1).first ?? nil
            list.continueList(
                at: Cursor(keys: [place.map(Value.integer) ?? .null, last.value]),
                for: plan,
                names: names
            )
        }
        if plan.countsAll { list.total = try count(plan, along: relationship, of: owner, from: reader) }
        return list
    }

    /// The members up to the end of a page, or one more, and whether there are more.
    private func members(
        _ plan: FetchPlan,
        along relationship: RelationshipDescription,
        of owner: Snapshot,
        limit: Int,
        from reader: some GraphReading
    ) throws -> (RelatedRows, hasMore: Bool) {
        func related(_ request: RelatedRequest) throws -> RelatedRows {
            try reader.related(along: relationship, owners: [owner.objectID], matching: request)
        }
        do {
            let rows = try related(request(plan))
            return (rows, rows.members[0].count - plan.offset > limit)
        } catch let error as GraphError where error.code == .tooMuchRead && limit == 1 && plan.offset == 0 {
            var request = request(plan)
            request.limit = 1
            return (try WorkLimits.withNewAllowance { try related(request) }, true)
        }
    }

    /// The request for members of an ordered relationship: one more than the page has, to find out whether there is
    /// another.
    func request(_ plan: FetchPlan) -> RelatedRequest {
        let (end, isBeyond) = plan.offset.addingReportingOverflow(limit(of: plan) + 1)
        var request = RelatedRequest(predicate: plan.predicate, limit: isBeyond ? nil : end)
        request.start = plan.cursor.flatMap(place)
        request.includesPositions = true
        return request
    }

    /// The position that a cursor names.
    private func place(_ cursor: Cursor) -> MemberPosition? {
        guard case .value(.reference(let last))? = cursor.keys.last, let member = names.objectID(forURI: last.uri)
        else { return nil }
        guard case .value(.integer(let number))? = cursor.keys.first else {
            return MemberPosition(number: nil, member: member)
        }
        return MemberPosition(number: number, member: member)
    }

    private func count(
        _ plan: FetchPlan,
        along relationship: RelationshipDescription,
        of owner: Snapshot,
        from reader: some GraphReading
    ) throws -> Int {
        if plan.membership != nil { return try reader.count(plan.allPagesRequest) }
        let request = RelatedRequest(predicate: plan.predicate)
        return try reader.related(along: relationship, owners: [owner.objectID], matching: request).members[0].count
    }
}
