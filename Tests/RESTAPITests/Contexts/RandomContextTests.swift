// SPDX-License-Identifier: Apache-2.0

// Random editing contexts, plain requests and batches, compared with a plain model of each one's objects.

import HTTPMessage
import JSON
import ObjectGraph
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Random editing contexts")
struct RandomContextTests {
    private static func nothing(_ coordinator: PersistentStoreCoordinator) {}

    @Test(
        "contexts agree with a plain model after every random step, in memory or moved to their files",
        arguments: SeededGenerator.seeds(6),
        [false, true]
    )
    func random(seed: UInt64, leavesMemory: Bool) throws {
        try APIWorld.each(filling: Self.nothing) { world throws in
            try Checkout.withFolder { folder in
                if leavesMemory { _ = try world.api.keepContexts(in: folder + "/contexts") }
                var play = RandomContextRun(world, seed, leavesMemory: leavesMemory)
                do {
                    try play.run(steps: 120)
                } catch {
                    Issue.record("seed \(seed), step \(play.step): \(error)")
                }
                guard leavesMemory else { return }
                #expect(play.absences > 0)
            }
        }
    }
}

/// The visible state of an object.
private struct PlainPost: Equatable {
    var title: String
    var views: Int
    var author: String?
    var tags: Set<String>
}

/// The differences between a context and what it is based on.
private struct PlainDraft {
    var path: String
    var parent: String?
    var titles: [String: String] = [:]
    var views: [String: Int] = [:]
    var authors: [String: String?] = [:]
    /// For each pair of post and tag, whether it exists.
    var pairs: [String: [String: Bool]] = [:]
    var inserted: [String: PlainPost] = [:]
    var deleted: Set<String> = []
    /// The number of requests that have changed it without another change in between.
    var steps = 0

    func over(_ beneath: [String: PlainPost]) -> [String: PlainPost] {
        var shown = beneath.merging(inserted) { $1 }
        for id in deleted { shown[id] = nil }
        for (id, title) in titles { shown[id]?.title = title }
        for (id, views) in views { shown[id]?.views = views }
        for (id, author) in authors { shown[id]?.author = author }
        for (id, tags) in pairs {
            for (tag, isThere) in tags {
                if isThere { shown[id]?.tags.insert(tag) } else { shown[id]?.tags.remove(tag) }
            }
        }
        return shown
    }

    /// Removes edits equal to the base, and edits of objects that are gone.
    mutating func settle(over beneath: [String: PlainPost]) {
        let known = beneath.merging(inserted) { $1 }
        titles = titles.filter { known[$0].map { [title = $1] in $0.title != title } ?? false }
        views = views.filter { known[$0].map { [views = $1] in $0.views != views } ?? false }
        authors = authors.filter { known[$0].map { [author = $1] in $0.author != author } ?? false }
        for (id, tags) in pairs {
            pairs[id] = known[id].map { post in tags.filter { post.tags.contains($0) != $1 } }
        }
        deleted = deleted.filter { beneath[$0] != nil }
    }

    var isEmpty: Bool {
        titles.isEmpty && views.isEmpty && authors.isEmpty && pairs.allSatisfy(\.value.isEmpty) && inserted.isEmpty
            && deleted.isEmpty
    }

    func edits(_ id: String) -> Bool {
        titles[id] != nil || views[id] != nil || authors[id] != nil || !(pairs[id] ?? [:]).isEmpty
            || deleted.contains(id)
    }
}

private struct RandomContextRun {
    let world: APIWorld
    var random: SeededGenerator
    var step = 0
    var stored: [String: PlainPost] = [:]
    var drafts: [PlainDraft] = []
    let leavesMemory: Bool
    /// How often contexts have left memory.
    var absences = 0
    let users: [String]
    let tags: [String]

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(_ world: APIWorld, _ seed: UInt64, leavesMemory: Bool) {
        (self.world, random, self.leavesMemory) = (world, SeededGenerator(seed: seed), leavesMemory)
        users = (0..<3).compactMap { try? world.send(.post, "/api/users", "{\"name\":\"U\($0)\"}")["_id"]?.string }
        tags = (0..<3).compactMap { try? world.send(.post, "/api/tags", "{\"name\":\"T\($0)\"}")["_id"]?.string }
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            step += 1
            if leavesMemory, Int.random(in: 0..<3, using: &random) == 0 { leaveMemory() }
            let action = try act()
            if leavesMemory, Int.random(in: 0..<3, using: &random) == 0 { leaveMemory() }
            try compare(after: action)
        }
    }

    private mutating func leaveMemory() {
        guard let contexts = world.api.contexts else { return }
        let before = contexts.inMemory.count
        contexts.unloadAll()
        absences += before - contexts.inMemory.count
    }

    // MARK: Visible objects

    private func shown(in path: String?) -> [String: PlainPost] {
        guard let path, let draft = drafts.first(where: { $0.path == path }) else { return stored }
        return draft.over(shown(in: draft.parent))
    }

    private func compare(after action: String) throws {
        for path in [nil] + drafts.map(\.path) {
            let answer = try world.get("\(path ?? "/api")/posts?limit=1000&include=tags")
            var real: [String: PlainPost] = [:]
            for item in answer["items"]?.array ?? [] {
                guard let id = item["_id"]?.string, let title = item["title"]?.string, let views = item["views"]?.int64
                else { throw Failure(description: "\(action): \(answer.text)") }
                real[id] = PlainPost(
                    title: title,
                    views: Int(views),
                    author: item["author"]?.string,
                    tags: Set(item["tags"]?.array?.compactMap { $0["_id"]?.string } ?? [])
                )
            }
            let plain = shown(in: path)
            let counts = try world.get("\(path ?? "/api")/posts?result=dictionary&group=views&aggregate=n:count(_id)")
            let groups = (counts["items"]?.array ?? []).map { ($0["views"]?.int64 ?? -1, $0["n"]?.int64 ?? -1) }
            let plainGroups = Dictionary(grouping: plain.values) { Int64($0.views) }.mapValues { Int64($0.count) }
            guard plainGroups == Dictionary(groups, uniquingKeysWith: +) else {
                throw Failure(description: "after \(action), \(path ?? "stored"): \(counts.text), not \(plainGroups)")
            }
            guard real != plain else { continue }
            let ids = Set(real.keys).union(plain.keys).filter { real[$0] != plain[$0] }.sorted()
            let differences = ids.map {
                "\($0): shown \(real[$0].map { "\($0)" } ?? "–"), plain \(plain[$0].map { "\($0)" } ?? "–")"
            }
            throw Failure(description: "after \(action), \(path ?? "stored"): \(differences.joined(separator: "; "))")
        }
    }

    // MARK: Actions

    private mutating func act() throws -> String {
        let path = drafts.isEmpty || Bool.random(using: &random) ? nil : drafts.randomElement(using: &random)?.path
        switch Int.random(in: 0..<20, using: &random) {
        case 0,
            1 where drafts.count < 5:
            return try open()
        case 2...4: return try insert(in: path)
        case 5...9: return try change(in: path)
        case 10, 11: return try relate(in: path)
        case 12: return try delete(in: path)
        case 13: return try batch(in: path)
        case 14, 15: return try undoAndRedo()
        case 16: return try end()
        default: return try save()
        }
    }

    private mutating func open() throws -> String {
        guard drafts.count < 5 else { return "nothing" }
        let parent = Bool.random(using: &random) ? drafts.randomElement(using: &random) : nil
        let body = parent.map { "{\"parent\":\"\($0.path.split(separator: "/").last ?? "")\"}" }
        drafts.append(PlainDraft(path: try world.openContext(body), parent: parent?.path))
        return "opening"
    }

    private mutating func insert(in path: String?) throws -> String {
        let post = PlainPost(
            title: "P\(step)",
            views: Int.random(in: 0..<5, using: &random),
            author: users.randomElement(using: &random),
            tags: Set(tags.filter { _ in Bool.random(using: &random) })
        )
        let list = post.tags.map { "\"\($0)\"" }.joined(separator: ",")
        let body =
            "{\"title\":\"\(post.title)\",\"views\":\(post.views),\"author\":\"\(post.author ?? "")\",\"tags\":[\(list)]}"
        let answer = try world.send(.post, "\(path ?? "/api")/posts", body)
        guard answer.status == 201, let id = answer["_id"]?.string else { throw Failure(description: answer.text) }
        edit(path) {
            $0.inserted[id] = post
        } stored: {
            $0[id] = post
        }
        return "inserting \(id) in \(path ?? "the store")"
    }

    private mutating func change(in path: String?) throws -> String {
        guard let id = shown(in: path).keys.sorted().randomElement(using: &random) else { return "nothing" }
        let (title, views) = ("C\(Int.random(in: 0..<4, using: &random))", Int.random(in: 0..<5, using: &random))
        let author = Bool.random(using: &random) ? users.randomElement(using: &random) : nil
        let kind = Int.random(in: 0..<3, using: &random)
        let body = [
            "{\"title\":\"\(title)\"}", "{\"views\":\(views)}",
            "{\"author\":\(author.map { "\"\($0)\"" } ?? "null")}",
        ][kind]
        let answer = try world.send(.patch, "\(path ?? "/api")/\(id)", body)
        guard answer.status == 200 else { throw Failure(description: answer.text) }
        edit(path) { draft in
            switch kind {
            case 0: draft.titles[id] = title
            case 1: draft.views[id] = views
            default: draft.authors.updateValue(author, forKey: id)
            }
        } stored: { stored in
            switch kind {
            case 0: stored[id]?.title = title
            case 1: stored[id]?.views = views
            default: stored[id]?.author = author
            }
        }
        return "changing \(id) to \(body) in \(path ?? "the store")"
    }

    private mutating func relate(in path: String?) throws -> String {
        guard let id = shown(in: path).keys.sorted().randomElement(using: &random),
            let tag = tags.randomElement(using: &random)
        else { return "nothing" }
        let isThere = shown(in: path)[id]?.tags.contains(tag) == true
        let answer = try world.send(isThere ? .delete : .put, "\(path ?? "/api")/\(id)/tags/\(tag.dropFirst(5))")
        guard answer.status == 200 else { throw Failure(description: answer.text) }
        edit(path) {
            $0.pairs[id, default: [:]][tag] = !isThere
        } stored: { stored in
            if isThere { stored[id]?.tags.remove(tag) } else { stored[id]?.tags.insert(tag) }
        }
        return "\(isThere ? "parting" : "joining") \(id) and \(tag) in \(path ?? "the store")"
    }

    /// Keeps objects edited elsewhere, since deleting them is a conflict, which other tests cover.
    private mutating func delete(in path: String?) throws -> String {
        let free = shown(in: path).keys.filter { id in !drafts.contains { $0.edits(id) || $0.inserted[id] != nil } }
        guard let id = free.sorted().randomElement(using: &random) else { return "nothing" }
        // A deletion in a draft would conflict with later edits elsewhere.
        guard path == nil else { return "nothing" }
        guard try world.send(.delete, "/api/\(id)").status == 204 else { throw Failure(description: "no deletion") }
        edit(nil) { _ in
        } stored: {
            $0[id] = nil
        }
        return "deleting \(id)"
    }

    private mutating func batch(in path: String?) throws -> String {
        let from = Int.random(in: 0..<5, using: &random)
        let to = (from + Int.random(in: 1..<5, using: &random)) % 5
        let body = "{\"where\":\"views == \(from)\",\"set\":{\"views\":\(to)}}"
        let answer = try world.send(.post, "\(path ?? "/api")/posts/batch-update", body)
        guard answer.status == 200 else { throw Failure(description: answer.text) }
        let found = shown(in: path).filter { $0.value.views == from }.keys
        guard answer["count"]?.int64 == Int64(found.count) else {
            throw Failure(description: "changed \(answer.text), not \(found.sorted())")
        }
        guard answer["merged"]?.int64 == (path == nil ? Int64(drafts.count) : 0) || found.isEmpty else {
            throw Failure(description: "merged into \(answer.text), not \(drafts.count)")
        }
        let action = "a batch that sets views from \(from) to \(to) in \(path ?? "the store")"
        guard !found.isEmpty else { return action }
        edit(path) { draft in
            for id in found { draft.views[id] = to }
        } stored: { stored in
            for id in found { stored[id]?.views = to }
        }
        return action
    }

    /// After undoing and redoing every step, everything is unchanged, if nothing else has changed meanwhile.
    private mutating func undoAndRedo() throws -> String {
        guard let draft = drafts.max(by: { $0.steps < $1.steps }) else { return "nothing" }
        // Undoing an insertion removes the object from children, with their changes of it other than pairs.
        let below = drafts.indices.filter { isBelow(drafts[$0], draft.path) }
        guard below.allSatisfy({ drafts[$0].pairs.allSatisfy(\.value.isEmpty) }) else { return "nothing" }
        for index in below { drafts[index].steps = 0 }
        let count = draft.steps
        for action in Array(repeating: "undo", count: count) + Array(repeating: "redo", count: count) {
            let answer = try world.send(.post, "\(draft.path)/\(action)")
            guard answer.status == 200 else { throw Failure(description: answer.text) }
        }
        return "undoing and redoing \(count) steps in \(draft.path)"
    }

    private func isBelow(_ draft: PlainDraft, _ path: String) -> Bool {
        guard let parent = draft.parent else { return false }
        return parent == path || drafts.first { $0.path == parent }.map { isBelow($0, path) } ?? false
    }

    private mutating func end() throws -> String {
        guard drafts.count > 3, let draft = drafts.randomElement(using: &random) else { return "nothing" }
        guard try world.send(.delete, draft.path).status == 204 else { throw Failure(description: "no end") }
        var gone: Set = [draft.path]
        for _ in drafts { gone.formUnion(drafts.filter { $0.parent.map(gone.contains) ?? false }.map(\.path)) }
        drafts.removeAll { gone.contains($0.path) }
        return "ending \(draft.path)"
    }

    private mutating func save() throws -> String {
        guard let place = drafts.indices.randomElement(using: &random) else { return "nothing" }
        let draft = drafts[place]
        let shown = shown(in: draft.path)
        let answer = try world.send(.post, "\(draft.path)/save")
        guard answer.status == 200 else { throw Failure(description: answer.text) }
        let names = (answer["ids"]?.object?.members ?? []).compactMap { member in
            member.value.string.map { (member.name, $0) }
        }
        drafts[place] = PlainDraft(path: draft.path, parent: draft.parent)
        if let parent = draft.parent {
            guard !draft.isEmpty else { return "saving \(draft.path), in which nothing is pending" }
            edit(parent) { above in
                above.titles.merge(draft.titles) { $1 }
                above.views.merge(draft.views) { $1 }
                above.authors.merge(draft.authors) { $1 }
                for (id, tags) in draft.pairs { above.pairs[id, default: [:]].merge(tags) { $1 } }
                above.inserted.merge(draft.inserted) { $1 }
            } stored: { _ in
            }
        } else {
            stored = shown
            for (old, new) in names {
                stored[new] = stored.removeValue(forKey: old)
                // Temporary names are shared by a root and all its descendants.
                for index in drafts.indices where root(of: drafts[index]) == draft.path {
                    drafts[index].rename(old, new)
                }
            }
            settle()
        }
        return "saving \(draft.path)"
    }

    private mutating func edit(
        _ path: String?,
        _ body: (inout PlainDraft) -> Void,
        stored change: (inout [String: PlainPost]) -> Void
    ) {
        let steps = drafts.first { $0.path == path }?.steps ?? 0
        for index in drafts.indices { drafts[index].steps = 0 }
        if let path, let place = drafts.firstIndex(where: { $0.path == path }) {
            body(&drafts[place])
            drafts[place].steps = steps + 1
        } else {
            change(&stored)
        }
        settle()
    }

    private func root(of draft: PlainDraft) -> String {
        draft.parent.flatMap { parent in drafts.first { $0.path == parent } }.map(root) ?? draft.path
    }

    private mutating func settle() {
        for index in drafts.indices {
            let beneath = shown(in: drafts[index].parent)
            drafts[index].settle(over: beneath)
        }
    }
}

extension PlainDraft {
    fileprivate mutating func rename(_ old: String, _ new: String) {
        if let title = titles.removeValue(forKey: old) { titles[new] = title }
        if let views = views.removeValue(forKey: old) { self.views[new] = views }
        if let author = authors.removeValue(forKey: old) { authors.updateValue(author, forKey: new) }
        if let tags = pairs.removeValue(forKey: old) { pairs[new] = tags }
    }
}
