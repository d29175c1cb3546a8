// SPDX-License-Identifier: Apache-2.0

// Random changes by several contexts; replaying the controllers' notifications must give the result of a fetch.

import ObjectGraph
import Predicates
import TestSupport
import Testing

@Suite("Fetched results under random changes")
struct FetchedResultsRandomTests {
    @Test("replaying the changes on the old list gives the fetched list", arguments: SeededGenerator.seeds(20))
    func replay(seed: UInt64) async throws {
        let world = try World()
        try await world.coordinator.liveContext().perform { context in
            context.undoManager = ObjectUndoManager()
            context.mergePolicy = .mergeByPropertyObjectTrump
            var run = try RandomResults(world: world, context: context, seed: seed)
            for _ in 0..<150 { try run.step() }
        }
    }
}

/// A controller, and a list that follows it.
private final class Follower {
    let name: String
    let controller: FetchedResultsController<ManagedObject>
    private(set) var list: FetchedResultsList
    private(set) var failures: [GraphError] = []

    init(
        _ name: String,
        _ context: ManagedObjectContext,
        section: String? = nil,
        _ change: (inout FetchRequest<ManagedObject>) throws -> Void
    ) throws {
        var request = FetchRequest<ManagedObject>("Post")
        try change(&request)
        self.name = name
        controller = try FetchedResultsController(request: request, context: context, sectionNameKeyPath: section)
        try controller.performFetch()
        list = controller.list
        controller.onChange = { [unowned self] changes in list = changes.applying(to: list) }
        controller.onFailure = { [unowned self] error in failures.append(error) }
    }

    private func sortKeys(_ object: ManagedObject) throws -> [Value] {
        try controller.request.sortDescriptors.map { descriptor in
            guard case .value(let value) = try descriptor.keyPath.evaluate(with: object) else { return .null }
            return value
        }
    }

    func check(_ context: ManagedObjectContext, _ log: [String]) throws {
        let trace = "\(name) \(log.suffix(12))"
        try #require(failures.isEmpty, "\(trace)")
        try #require(list == controller.list, "\(trace)")
        let fetched = try context.fetch(controller.request)
        let shown = controller.fetchedObjects
        // Objects that are equal in all descriptors are in any order, and at the edge of a window any of them may be in
        // it.
        let keys = try fetched.map(sortKeys)
        try #require(try shown.map(sortKeys) == keys, "\(trace)")
        try #require(Set(shown).count == shown.count, "\(trace)")
        if controller.request.fetchLimit == 0 { try #require(Set(fetched) == Set(shown), "\(trace)") }
        for section in controller.sections where controller.sectionNameKeyPath != nil {
            let names = try shown[section.range].map { try $0.value(forKey: "title") }
            try #require(Set(names) == [.string(section.name)], "\(trace)")
        }
        #expect(controller.sections.map(\.range.count).reduce(0, +) == shown.count)
        for (place, object) in shown.enumerated() {
            let path = try #require(controller.indexPath(of: object))
            try #require(
                controller.object(at: path) === object
                    && controller.sections[path.section].range.lowerBound + path.item == place
            )
        }
    }
}

private struct RandomResults {
    let world: World
    let context: ManagedObjectContext
    private let followers: [Follower]
    private var edits: RandomEdits
    private var log: [String] = []

    init(world: World, context: ManagedObjectContext, seed: UInt64) throws {
        (self.world, self.context) = (world, context)
        edits = RandomEdits(seed: seed)
        followers = [
            try Follower("plain", context) { request in
                request.predicate = try ObjectPredicate("views > 30")
                request.sortDescriptors = [ObjectSortDescriptor("views", ascending: false)]
            },
            try Follower("sections", context, section: "title") { request in
                request.predicate = try ObjectPredicate("views > 10 AND author == nil")
                request.sortDescriptors = [ObjectSortDescriptor("title"), ObjectSortDescriptor("views")]
            },
            try Follower("limit", context, section: "title") { request in
                request.sortDescriptors = [ObjectSortDescriptor("title"), ObjectSortDescriptor("views")]
                request.fetchLimit = 5
                request.fetchOffset = 1
            },
            try Follower("across", context) { request in
                request.predicate = try ObjectPredicate("author.age > 40 OR ANY tags.name > '5'")
                request.sortDescriptors = [ObjectSortDescriptor("author.age"), ObjectSortDescriptor("views")]
            },
        ]
    }

    mutating func step() throws {
        var pending = PendingValues()
        let kind = Int.random(in: 0..<100, using: &edits.random)
        switch kind {
        case ..<40:
            for _ in 0..<Int.random(in: 1...3, using: &edits.random) {
                try edits.change(context, &pending)
                try edits.retitle(context)
            }
        case ..<65:
            log.append("others")
            edits = try world.run { [edits] context in
                var (edits, pending) = (edits, PendingValues())
                for _ in 0..<Int.random(in: 1...6, using: &edits.random) {
                    try edits.change(context, &pending)
                    try edits.retitle(context)
                }
                try context.save()
                return edits
            }
            try context.mergeSavedChanges()
        case ..<75:
            log.append("save")
            try context.save()
        case ..<82:
            log.append("undo")
            try context.undo()
        case ..<86:
            log.append("redo")
            try context.redo()
        case ..<90:
            log.append("rollback")
            context.rollback()
        case ..<93:
            log.append("reset")
            context.reset()
        default:
            log.append("refresh")
            let post = try context.fetch(FetchRequest<ManagedObject>("Post")).filter { !$0.isInserted }
                .sorted { $0.label < $1.label }.randomElement(using: &edits.random)
            if let post { try context.refresh(post, mergingChanges: edits.random.chance(70)) }
        }
        log += edits.takeLog()
        try context.processPendingChanges()
        for follower in followers { try follower.check(context, log) }
    }
}

extension RandomEdits {
    /// Occasionally gives a post another title.
    fileprivate mutating func retitle(_ context: ManagedObjectContext) throws {
        let posts = try context.fetch(FetchRequest<ManagedObject>("Post")).sorted { $0.label < $1.label }
        guard random.chance(50), let post = posts.randomElement(using: &random) else { return }
        let title = "ABCDE".randomElement(using: &random).map(String.init) ?? ""
        note("title \(post.label) \(title)")
        try post.setValue(.string(title), forKey: "title")
    }

    fileprivate mutating func takeLog() -> [String] {
        defer { forgetLog() }
        return log
    }
}
