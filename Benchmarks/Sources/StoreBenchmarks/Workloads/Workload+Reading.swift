// SPDX-License-Identifier: Apache-2.0

// Reads, each in a context of its own, of which all attributes are looked at.

import FoundationEssentials
import Outcrop

extension Workload {
    /// Posts that nobody has asked for yet, by their keys.
    func readPoints() throws {
        let (operations, posts) = try (option("operations"), option("posts"))
        let ids = try (0..<operations).map { try id("Post", spread($0, posts)) }
        try measure(operations) { [coordinator] n in
            try coordinator.withContext { try $0.existingObject(with: ids[n]).lookAtAll() }
        }
    }

    func readPages() throws {
        var request = FetchRequest<ManagedObject>("Post")
        request.sortDescriptors = [ObjectSortDescriptor("createdAt", ascending: false)]
        request.fetchLimit = 50
        try measure(option("operations")) { [coordinator, request] _ in
            try coordinator.withContext { for post in try $0.fetch(request) { try post.lookAtAll() } }
        }
    }

    func readIncludes() throws {
        var request = FetchRequest<ManagedObject>("Post")
        request.sortDescriptors = [ObjectSortDescriptor("createdAt", ascending: false)]
        request.fetchLimit = 50
        request.relationshipKeyPathsForPrefetching = ["author", "tags"]
        try measure(option("operations")) { [coordinator, request] _ in
            try coordinator.withContext { context in
                for post in try context.fetch(request) {
                    try post.lookAtAll()
                    try post.object(of: post.entity.relationship(named: "author")!)?.lookAtAll()
                    for tag in try post.objects(of: post.entity.relationship(named: "tags")!) { try tag.lookAtAll() }
                }
            }
        }
    }

    func readHops() throws {
        let organizations = try option("users") / 10
        try measure(option("operations")) { [coordinator] n in
            let name = "Organization \(spread(n, organizations))"
            var request = FetchRequest<ManagedObject>(
                "Post",
                predicate: try ObjectPredicate("author.organization.name == %@", name)
            )
            request.sortDescriptors = [ObjectSortDescriptor("createdAt", ascending: false)]
            request.fetchLimit = 20
            try coordinator.withContext { [request] in for post in try $0.fetch(request) { try post.lookAtAll() } }
        }
    }

    /// A page of a list, going on behind the last post of the page before.
    func readByCursor() throws {
        let (operations, posts, page) = try (option("operations"), option("posts"), option("page"))
        var request = FetchRequest<ManagedObject>("Post")
        request.sortDescriptors = [ObjectSortDescriptor("createdAt", ascending: false), ObjectSortDescriptor("title")]
        request.fetchLimit = 50
        if page > 1 {
            let last = posts - (page - 1) * 50 + 1
            let date = Date(timeIntervalSinceReferenceDate: 700_000_000 + Double(last))
            let title = "Post \(last), and what it is about"
            request.predicate = try ObjectPredicate(
                "createdAt <= %@ AND (createdAt < %@ OR title > %@)",
                date,
                date,
                title
            )
        }
        try measure(operations) { [coordinator, request] _ in
            try coordinator.withContext { for post in try $0.fetch(request) { try post.lookAtAll() } }
        }
    }

    private func measure(_ operations: Int, _ body: (Int) throws -> Void) throws {
        let watch = Stopwatch()
        let times = try (0..<operations).map { n in try timing { try body(n) } }
        watch.stop(operations: operations, times: times)
    }
}

extension ManagedObject {
    fileprivate func lookAtAll() throws { for attribute in entity.attributes { _ = try value(of: attribute) } }
}
