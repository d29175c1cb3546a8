// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import Testing

@testable import SQLiteStore

@Suite("The SQL of pages")
struct PagingStatementTests {
    private static func parts(
        _ blog: Blog,
        _ order: String,
        _ keys: [Value],
        where predicate: String? = nil
    ) throws -> [FetchExplanation] {
        let coordinator = PersistentStoreCoordinator(model: blog.model)
        try coordinator.add(blog.store)
        let post = ManagedObjectID(
            entity: try blog.entity("Post"),
            store: blog.store.identifier,
            reference: .integer(7)
        )
        var request = FetchRequest<ManagedObject>("Post", predicate: try predicate.map { try ObjectPredicate($0) })
        request.sortDescriptors = order.isEmpty ? [] : try ObjectSortDescriptor.list(parsing: order)
        request.fetchLimit = 50
        return try request.continuations(after: keys + [post.value], in: coordinator.model).flatMap {
            try coordinator.explain($0)
        }
    }

    private static func clauses(_ explanations: [FetchExplanation]) -> [String] {
        explanations.map { String($0.statement?.split(separator: " AS t0 ", maxSplits: 1).last ?? "") }
    }

    @Test("a page is found by an index on equal keys and the next range, without sorting")
    func indexed() throws {
        try Blog.withStore { blog in
            let parts = try Self.parts(blog, "-createdAt", [.date(Blog.now)])
            #expect(
                Self.clauses(parts) == [
                    "WHERE t0.ZCREATEDAT = ? AND t0.Z_PK < ? ORDER BY t0.ZCREATEDAT DESC, t0.Z_PK DESC LIMIT ?",
                    "WHERE t0.ZCREATEDAT < ? ORDER BY t0.ZCREATEDAT DESC, t0.Z_PK DESC LIMIT ?",
                    "WHERE t0.ZCREATEDAT IS NULL ORDER BY t0.ZCREATEDAT DESC, t0.Z_PK DESC LIMIT ?",
                ]
            )
            #expect(
                parts.map(\.queryPlan) == [
                    ["SEARCH t0 USING INDEX Z_Post_byCreatedAt (ZCREATEDAT=? AND rowid<?)"],
                    ["SEARCH t0 USING INDEX Z_Post_byCreatedAt (ZCREATEDAT<?)"],
                    ["SEARCH t0 USING INDEX Z_Post_byCreatedAt (ZCREATEDAT=?)"],
                ]
            )
            #expect(parts.allSatisfy { $0.usesIndex })
        }
    }

    @Test("a page without a sort order uses the primary key", arguments: ["", "-objectID"])
    func keyOnly(order: String) throws {
        try Blog.withStore { blog in
            let parts = try Self.parts(blog, order, [])
            let (word, way) = order.isEmpty ? (">", "") : ("<", " DESC")
            #expect(Self.clauses(parts) == ["WHERE t0.Z_PK \(word) ? ORDER BY t0.Z_PK\(way) LIMIT ?"])
            #expect(parts[0].queryPlan == ["SEARCH t0 USING INTEGER PRIMARY KEY (rowid\(word)?)"])
        }
    }

    @Test("a page starts after nil in ascending order and ends with it in descending order")
    func nils() throws {
        try Blog.withStore { blog in
            #expect(
                Self.clauses(try Self.parts(blog, "title", [.null])) == [
                    "WHERE t0.ZTITLE IS NULL AND t0.Z_PK > ? ORDER BY t0.ZTITLE, t0.Z_PK LIMIT ?",
                    "WHERE t0.ZTITLE IS NOT NULL ORDER BY t0.ZTITLE, t0.Z_PK LIMIT ?",
                ]
            )
            let last = try Self.parts(blog, "-title", [.null], where: "views > 3")
            #expect(
                Self.clauses(last) == [
                    """
                    WHERE t0.ZVIEWS > ? AND t0.ZTITLE IS NULL AND t0.Z_PK < ? \
                    ORDER BY t0.ZTITLE DESC, t0.Z_PK DESC LIMIT ?
                    """
                ]
            )
        }
    }

    @Test("a page folds text as its order does")
    func folded() throws {
        try Blog.withStore { blog in
            let parts = try Self.parts(blog, "title[cd]", ["Öl"])
            #expect(
                Self.clauses(parts) == [
                    "WHERE t0.Z_PK > ? AND t0.ZPLAINTITLE = ? ORDER BY t0.ZPLAINTITLE, t0.Z_PK LIMIT ?",
                    "WHERE t0.ZPLAINTITLE > ? ORDER BY t0.ZPLAINTITLE, t0.Z_PK LIMIT ?",
                ]
            )
            #expect(parts.allSatisfy { $0.bindings.contains("ol") && $0.usesIndex })
        }
    }
}
