// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectGraph
import Predicates
import SQLiteDriver
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Fetches in SQL and in memory")
struct FetchPropertyTests {
    static let now = Date(timeIntervalSinceReferenceDate: 700_000_000)

    /// The share of requests that SQL answered alone.
    private struct Share {
        var (requests, translated, failing) = (0, 0, 0)
        var reasons: [String: Int] = [:]
    }

    @Test(
        "a fetch in SQL agrees with evaluation in memory on random models, rows and requests",
        arguments: SeededGenerator.seeds(12)
    )
    func agreement(seed: UInt64) throws {
        var share = Share()
        try Checkout.withFolder { folder in
            var random = SeededGenerator(seed: seed)
            let world = try RandomStore(&random, in: folder)
            var fetches = RandomFetches(world.model, world.objects, random)
            for _ in 0..<120 { try check(fetches.request(), world.store, seed, &share) }
        }
        #expect(share.failing * 3 < share.requests, "too many requests are none")
        #expect(share.translated * 100 > share.requests * 60, "\(share)")
    }

    private func check(_ request: StoreFetchRequest, _ store: SQLiteStore, _ seed: UInt64, _ share: inout Share) throws
    {
        let isNone = try store.database.read { connection in
            try connection.transaction { () -> Bool in
                let reader = StoreReader(connection: connection, tables: store.tables)
                let expected = Result { try reference(request, reader) }
                guard var planner = FetchPlanner(request, store.tables, now: Self.now) else { return true }
                let plan = planner.plan()
                let comment =
                    "\nseed \(seed): \(request.entity.name)\(request.includesSubentities ? "" : " alone") where \(request.predicate.map { "\($0)" } ?? "-") by \(request.sortDescriptors) \(request.kind) \(request.offset) \(String(describing: request.limit))\n\(plan.statement.text)\n\(plan.statement.bindings)"
                guard case .success(let expected) = expected else { return true }
                do {
                    let found = try StoreFetch(request, reader).result(now: Self.now)
                    #expect(Self.text(found) == Self.text(expected), "\(comment)")
                    if case .snapshots(let rows) = found {
                        let page = try StoreFetch(request, reader).page(now: Self.now)
                        #expect(
                            page.map(\.snapshot).map(StoredContent.init) == rows.map(StoredContent.init),
                            "\(comment)"
                        )
                        try checkRelated(to: page, reader, comment)
                        let twice = page.followed(by: page)
                        #expect(twice.map(\.snapshot).map(StoredContent.init) == (rows + rows).map(StoredContent.init))
                    }
                } catch {
                    Issue.record("\(error)\n\(comment)")
                }
                return false
            }
        }
        let planned = FetchPlanner(request, store.tables, now: Self.now)
        guard var planner = planned else { return }
        let plan = planner.plan()
        share.requests += 1
        if isNone { share.failing += 1 }
        if plan.remainder == nil { share.translated += 1 }
        for part in plan.untranslated { share.reasons[part.reason, default: 0] += 1 }
    }

    /// Compares what relationships of a page's rows lead to with what is read for their IDs.
    private func checkRelated(to page: RowPage, _ reader: StoreReader, _ comment: String) throws {
        let owners = page.map(\.objectID)
        for entity in page.entities(of: page.indices) {
            for relationship in entity.relationships {
                guard let rows = reader.tables.rowReader(of: reader.schema.model.destination(of: relationship))
                else { continue }
                let related: RelatedPage?
                let expected: [[Snapshot]]
                if relationship.isToMany {
                    let fetch = RelatedFetch(
                        RelatedRequest(limit: owners.count.isMultiple(of: 2) ? nil : 2),
                        reader,
                        evaluationLimit: 1_000
                    )
                    related = try fetch.page(along: relationship, owners: page[...], rows)
                    let found = try fetch.result(along: relationship, owners: owners)
                    let byID = Dictionary(uniqueKeysWithValues: found.rows.map { ($0.objectID, $0) })
                    expected = found.members.map { $0.compactMap { byID[$0] } }
                    #expect(related?.rows.count == byID.count, "each object has one row\(comment)")
                } else {
                    related = try reader.relatedPage(alongToOne: relationship, owners: page[...], rows)
                    expected = try page.map { owner in
                        guard owner.entity.relationships.contains(relationship),
                            let destination = owner.snapshot.row.toOnes[relationship.slot]
                        else { return [] }
                        return try reader.snapshots(of: [destination]).compactMap(\.self)
                    }
                }
                let found = try #require(related)
                let all = owners.indices.map { owner in
                    found[owner].map { StoredContent(found.rows[$0].snapshot) }
                }
                #expect(all == expected.map { $0.map(StoredContent.init) }, "\(relationship.name)\(comment)")
            }
        }
    }

    @Test("a plan that is remembered isn't used for another time, nor for another request")
    func remembered() throws {
        try Blog.withStore { blog in
            let post = try blog.entity("Post")
            let coordinator = PersistentStoreCoordinator(model: blog.model)
            try coordinator.add(blog.store)
            try coordinator.withContext { context in
                let post = try context.insert("Post")
                try post.setValue(.date(Self.now), forKey: "createdAt")
                try post.setValue(0, forKey: "views")
                try context.save()
            }
            func count(_ predicate: ObjectPredicate, at now: Date) throws -> Int {
                let request = StoreFetchRequest(entity: post, predicate: predicate, kind: .count)
                return try blog.store.database.read { connection in
                    let reader = StoreReader(connection: connection, tables: blog.store.tables)
                    guard case .count(let count) = try StoreFetch(request, reader).result(now: now) else { return -1 }
                    return count
                }
            }
            let past = ObjectPredicate.comparing(.keyPath("createdAt"), .less, .function(.now, []))
            #expect(try count(past, at: .distantPast) == 0)
            #expect(try count(past, at: .distantFuture) == 1)
            for _ in 0..<2 {
                for views in [-1, Int64.max] {
                    let few = ObjectPredicate.comparing(.keyPath("views"), .less, .constant(.integer(views)))
                    #expect(try count(few, at: Self.now) == (views < 0 ? 0 : 1))
                }
            }
        }
    }

    /// A row as a value.
    private struct StoredContent: Equatable {
        let objectID: ManagedObjectID
        let version: Int64
        let row: Row

        init(_ snapshot: Snapshot) {
            objectID = snapshot.objectID
            version = snapshot.version
            row = snapshot.row
        }
    }

    /// The result of the request over all rows, from the evaluator alone.
    private func reference(_ request: StoreFetchRequest, _ reader: StoreReader) throws -> StoreFetchResult {
        guard let rows = reader.tables.rowReader(of: request.entity) else { return .count(0) }
        let source = RowSource(reader)
        let kinds =
            request.includesSubentities ? Array(reader.schema.model.kinds(of: request.entity)) : [request.entity]
        let all = try reader.connection.rows(
            "SELECT \(rows.columns(of: "t0")) FROM \(identifier: rows.table.name) AS t0 ORDER BY t0.Z_PK"
        ) { StoredRow(snapshot: rows.snapshot($0), source: source) }.filter {
            kinds.contains($0.snapshot.objectID.entity)
        }
        let evaluator = Evaluator(now: Self.now)
        if case .table(let table) = request.kind { return .table(try request.table(table, of: all, with: evaluator)) }
        let found = try request.objects(among: all, with: evaluator).map(\.snapshot)
        return switch request.kind {
        case .objectIDs: .objectIDs(found.map(\.objectID))
        case .count: .count(found.count)
        default: .snapshots(found)
        }
    }

    private static func text(_ result: StoreFetchResult) -> String {
        switch result {
        case .count(let count): "\(count)"
        case .objectIDs(let ids): "\(ids.map(\.uri))"
        case .snapshots(let rows): "\(rows.map(\.objectID.uri))"
        case .table(let table): table.rows.map { $0.map { "\($0)" }.joined(separator: " | ") }.joined(separator: "\n")
        }
    }
}
