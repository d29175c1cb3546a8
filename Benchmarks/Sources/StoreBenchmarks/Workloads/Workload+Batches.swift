// SPDX-License-Identifier: Apache-2.0

// Batch requests, and deletions that cascade.

import FoundationEssentials
import Outcrop

extension Workload {
    /// Posts that come one after the other.
    func batchInsert() throws {
        let (operations, users, first) = try (option("operations"), option("users"), option("posts") + 1)
        let content = Value.string(Self.content(try option("content")))
        let authors = try (0...users).map { try id("User", $0).value }
        let watch = Stopwatch()
        var n = -1
        let request = BatchInsertRequest("Post") {
            n += 1
            guard n < operations else { return nil }
            let number = first + n
            return [
                "title": .string("Post \(number), and what it is about"), "content": content,
                "createdAt": .date(Date(timeIntervalSinceReferenceDate: 700_000_000 + Double(number))),
                "updatedAt": .date(Date(timeIntervalSinceReferenceDate: 700_003_600 + Double(number))),
                "views": .integer(Int64(number * 31 % 1000)), "published": .bool(number % 10 != 0),
                "author": authors[spread(n, users)],
            ]
        }
        try coordinator.execute(request)
        watch.stop(operations: operations)
    }

    func batchUpdate() throws {
        let watch = Stopwatch()
        var request = BatchUpdateRequest("Post", predicate: try ObjectPredicate("views >= 0"))
        request.propertiesToUpdate["views"] = try ObjectExpression("views + 1")
        request.resultType = .count
        watch.stop(operations: try coordinator.execute(request).count)
    }

    /// Of comments, whose deletion takes nothing along.
    func batchDelete() throws {
        let since = Date(timeIntervalSinceReferenceDate: 710_000_000)
        let watch = Stopwatch()
        let comments = FetchRequest<ManagedObject>("Comment", predicate: try ObjectPredicate("createdAt >= %@", since))
        var request = BatchDeleteRequest(comments)
        request.resultType = .count
        watch.stop(operations: try coordinator.execute(request).count)
    }

    /// A hundred organizations, and whatever is theirs, as objects.
    func cascadeByContext() throws {
        let ids = try (1...100).map { try id("Organization", $0) }
        let watch = Stopwatch()
        let count = try coordinator.withContext { context in
            for id in ids { try context.delete(context.existingObject(with: id)) }
            try context.processPendingChanges()
            let count = context.deletedObjects.count
            try context.save()
            return count
        }
        watch.stop(operations: count)
    }

    /// The same by a request, without objects.
    func cascadeByBatch() throws {
        let ids = try (1...100).map { try id("Organization", $0) }
        let watch = Stopwatch()
        var request = BatchDeleteRequest(objectIDs: ids)
        request.resultType = .count
        watch.stop(operations: try coordinator.execute(request).count)
    }
}
