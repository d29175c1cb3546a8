// SPDX-License-Identifier: Apache-2.0

// The examples of docs/engine.md, each as it is shown there, between marker lines, so that they are compiled and run
// in order. `print` collects their output.

import FoundationEssentials
import Outcrop
import Synchronization

package enum EngineGuide {
    /// Runs the examples, and returns the lines that they print.
    package static func run() async throws -> [String] {
        let lines = Lines()
        @Sendable func print(_ item: any CustomStringConvertible & Sendable) { lines.append(item.description) }

        // engine.md
        let model = try ManagedObjectModel(blog)
        let classes = [User.self, Post.self, Tag.self, Page.self]
        let coordinator = PersistentStoreCoordinator(model: model, classes: classes)
        try coordinator.add(InMemoryStore(model: model))
        // End

        // engine.md
        let annaID = try coordinator.withContext { context in
            let anna = try context.insert(User.self)
            anna.name = "Anna"
            try context.save()
            return anna.objectID
        }
        print(annaID.isTemporary)  // false
        // End

        // engine.md
        try coordinator.withContext { context in
            let anna = try context.existingObject(with: annaID, as: User.self)
            print(anna.name)  // Anna
            print(try anna === context.object(with: annaID, as: User.self))  // true
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            let anna = try context.object(with: annaID, as: User.self)
            print(anna.isFault)  // true
            print(anna.name)  // Anna
            print(anna.isFault)  // false
            print(anna.hasFault(forRelationshipNamed: "posts"))  // true
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            let bea = try context.insert(User.self)
            bea.name = "Bea"
            let faults = try context.insert(Post.self)
            faults.title = "Faults"
            faults.author = bea
            print(bea.posts.contains(faults))  // true

            let swift = try context.insert(Tag.self)
            swift.name = "swift"
            faults.tags.insert(swift)
            print(swift.posts.count)  // 1

            for text in ["First", "Second"] {
                let page = try context.insert(Page.self)
                page.text = text
                faults.pages.insert(page, at: 0)
            }
            print(faults.pages.map { $0.text ?? "" }.joined(separator: ", "))  // Second, First
            try context.save()
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            let words: ManagedObject = try context.insert("Post")
            let title = "Words"
            try words.setValue(.string(title), forKey: "title")
            try words.setObject(context.object(with: annaID), forKey: "author")
            try words.add(context.insert("Tag"), forKey: "tags")
            print(try words.object(forKey: "author")?.objectID == annaID)  // true
            print(try words.objects(forKey: "tags").count)  // 1
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            for (title, views) in [("Contexts", 80), ("Undo", 15), ("Saving", 120)] {
                let post = try context.insert(Post.self)
                post.title = title
                post.views = Int64(views)
                post.author = try context.existingObject(with: annaID, as: User.self)
            }
            try context.save()

            let popular = FetchRequest<Post>()
                .where { $0.author.name == "Anna" && $0.views > 50 }
                .sorted(by: \.views, .descending)
            print(try context.fetch(popular).map(\.title).joined(separator: ", "))  // Saving, Contexts

            var rare = FetchRequest<Post>()
            rare.predicate = try ObjectPredicate("title BEGINSWITH[cd] %@ OR ANY tags.name == %@", "u", "swift")
            rare.sortDescriptors = [ObjectSortDescriptor("title")]
            print(try context.fetch(rare).map(\.title).joined(separator: ", "))  // Faults, Undo

            print(try context.count(FetchRequest<Post>().where { $0.tags.any.name == "swift" }))  // 1
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            let all = FetchRequest<Post>().sorted(by: \.views, .descending).sorted(by: \.title)
            print(try context.fetch(all.offset(2).limit(2)).map(\.title).joined(separator: ", "))  // Undo, Faults
            print(try context.count(all))  // 4
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            let posts = try context.fetch(FetchRequest<Post>().where { $0.author != nil }.prefetching(\.author))
            print(Set(posts.compactMap { $0.author?.name }).sorted().joined(separator: ", "))  // Anna, Bea
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            var request = FetchRequest<Post>()
            request.propertiesToFetch = ["author.name", ExpressionDescription("most", .maximum, of: "views")]
            request.propertiesToGroupBy = ["author.name"]
            request.havingPredicate = try ObjectPredicate("most > 20")
            let rows = try context.dictionaries(request)
            print(rows.count)  // 1
            print(rows[0] == ["author.name": "Anna", "most": 120])  // true
            print(rows[0]["most"].flatMap(Int64.init(attributeValue:)) ?? 0)  // 120
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            var request = FetchRequest<Post>().sorted(by: \.views, .descending)
            request.fetchBatchSize = 2
            let posts = try context.fetchLazily(request)
            print(posts.count)  // 4
            print(posts[0].title)  // Saving
            print(context.registeredObjects.count)  // 2
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            let popular = try model.fetchRequest(
                fromTemplate: "popular",
                substituting: ["NAME": "Anna", "VIEWS": 50],
                as: Post.self
            )
            let first = try context.fetch(popular.sorted(by: \.title))[0]
            print(first.title)  // Contexts
            print(first.others.map(\.title).sorted().joined(separator: ", "))  // Saving, Undo
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            let post = try context.fetch(FetchRequest<Post>().where { $0.title == "Undo" })[0]
            post.views = 16
            print(context.updatedObjects == [post])  // true
            print(post.changedValues == ["views": 16])  // true
            print(try post.committedValues(forKeys: ["views"]) == ["views": 15])  // true
            context.rollback()
            print(context.hasChanges)  // false
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            let bea = try context.fetch(FetchRequest<User>().where { $0.name == "Bea" })[0]
            context.delete(bea)
            try context.processPendingChanges()
            print(context.deletedObjects.map(\.entity.name).sorted().joined(separator: ", "))  // Page, Page, Post, User
            print(context.updatedObjects.map(\.entity.name).joined())  // Tag
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            let user = try context.insert(User.self)
            user.age = 200
            let post = try context.insert(Post.self)
            post.title = ""
            do {
                try context.save()
            } catch let error as GraphError {
                print(error.failures.map { $0.property ?? "" }.joined(separator: ", "))  // name, age, title
                print(error.failures[1].message)  // age is more than 150.
                print(context.insertedObjects.count)  // 2
            }
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            context.undoManager = ObjectUndoManager()
            let post = try context.fetch(FetchRequest<Post>().where { $0.title == "Undo" })[0]
            post.title = "Undo and redo"
            try context.undo()
            print(post.title)  // Undo
            try context.redo()
            print(post.title)  // Undo and redo
        }
        // End

        // engine.md
        let draftID = try coordinator.withContext { context in
            try context.objectIDs(FetchRequest<Post>().where { $0.title == "Contexts" })[0]
        }
        try coordinator.withContext { context in
            let mine = try context.object(with: draftID, as: Post.self)
            mine.title = "My contexts"

            try coordinator.withContext { other in
                let theirs = try other.object(with: draftID, as: Post.self)
                theirs.views = 1_000
                try other.save()
            }

            do {
                try context.save()
            } catch let error as GraphError {
                print(error.code.rawValue)  // conflict
            }
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            print("\(mine.title): \(mine.views)")  // My contexts: 1000
        }
        // End

        // engine.md
        let views = model.entity(named: "Post")!.attribute(named: "views")!
        let adding = MergePolicy { conflict in
            guard let edited = conflict.edited, var row = conflict.stored?.row else { return conflict.edited }
            let counts = [row[views], edited[views], conflict.base.row[views]].compactMap(Int64.init(attributeValue:))
            row[views] = .integer(counts[0] + counts[1] - counts[2])
            return row
        }
        try coordinator.withContext { context in
            context.mergePolicy = adding
            let mine = try context.object(with: draftID, as: Post.self)
            mine.views += 1
            try coordinator.withContext { other in
                try other.object(with: draftID, as: Post.self).views += 10
                try other.save()
            }
            try context.save()
            print(mine.views)  // 1011
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            let again = try context.insert(User.self)
            again.name = "Anna"
            again.age = 30
            try context.save()
            let anna = try context.existingObject(with: annaID, as: User.self)
            print(anna.age ?? 0)  // 30
            print(again.isDeleted)  // true
        }
        // End

        // engine.md
        func makeTag(_ name: String, key: String) throws -> String {
            do {
                return try coordinator.withContext { context in
                    let tag = try context.insert(Tag.self)
                    tag.name = name
                    let tagID = tag.objectID
                    try context.save {
                        PendingNote(key: key) { rows in Array("version \(rows[tagID]?.version ?? 0)".utf8) }
                    }
                    return "new"
                }
            } catch let error as GraphError where error.code == .noteTaken {
                return String(decoding: try coordinator.note(key)?.content ?? [], as: UTF8.self)
            }
        }
        print(try makeTag("once", key: "request 7"))  // new
        print(try makeTag("once", key: "request 7"))  // version 1
        // End

        // engine.md
        try coordinator.withContext { context in
            let post = try context.object(with: draftID, as: Post.self)
            try context.withChild { child in
                let sketch = try child.object(with: draftID, as: Post.self)
                sketch.title = "A sketch"
                try child.save()
            }
            print(post.title)  // A sketch
            print(post.isUpdated)  // true
        }
        // End

        // engine.md
        let editor = coordinator.liveContext()
        try await editor.perform { context in
            let post = try context.object(with: draftID, as: Post.self)
            post.title = "Live contexts"
        }
        try coordinator.withContext { context in
            try context.object(with: draftID, as: Post.self).views = 2_000
            try context.save()
        }
        try await editor.perform { context in
            let post = try context.object(with: draftID, as: Post.self)
            print("\(post.title): \(post.views)")  // Live contexts: 2000
            try context.save()
        }
        // End

        // engine.md
        var request = FetchRequest<Post>().sorted(by: \.title)
        request.fetchBatchSize = 2
        let titles = try await editor.fetch(request) { post in post.title }
        print(titles)  // ["Faults", "Live contexts", "Saving", "Undo"]
        // End

        // engine.md
        let archive = try await editor.perform { context in
            context.undoManager = ObjectUndoManager()
            try context.object(with: draftID, as: Post.self).title = "Kept for later"
            defer { context.rollback() }
            return try context.archive()
        }
        let restored = coordinator.liveContext()
        try await restored.perform { context in
            context.undoManager = ObjectUndoManager()
            try context.restore(ContextArchive(bytes: archive.bytes))
            let post = try context.object(with: draftID, as: Post.self)
            print(post.title)  // Kept for later
            try context.undo()
            print(post.title)  // Live contexts
        }
        // End

        // engine.md
        let archives = try await restored.perform { context in
            var archives = [try context.archiveNext()]
            try context.insert(Tag.self).name = "drafts"
            let next = try context.archiveNext()
            if next.isWhole { archives = [] }
            return archives + [next]
        }
        print(archives.map(\.isWhole))  // [true, false]
        // End

        // engine.md
        let saves = coordinator.notifications()
        try coordinator.withContext { context in
            try context.insert(Tag.self).name = "server"
            try context.save()
        }
        for await case .didSave(let saved) in saves {
            print(saved.inserted.map(\.entity.name).joined())  // Tag
            break
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            let request = FetchRequest<Post>().sorted(by: \.author.name).sorted(by: \.title)
            let controller = try FetchedResultsController(
                request: request,
                context: context,
                sectionNameKeyPath: "author.name"
            )
            try controller.performFetch()
            print(controller.sections.map { "\($0.name): \($0.count)" }.joined(separator: ", "))  // Anna: 3, Bea: 1

            var list = controller.list
            controller.onChange = { changes in
                print(changes.objects.count)  // 1
                list = changes.applying(to: list)
            }
            let first = controller.object(at: FetchedResultsIndexPath(section: 0, item: 0))
            first.author = controller.fetchedObjects.last?.author
            try context.processPendingChanges()
            print(controller.sections.map { "\($0.name): \($0.count)" }.joined(separator: ", "))  // Anna: 2, Bea: 2
            print(list == controller.list)  // true
        }
        // End

        // engine.md
        let (lists, continuation) = AsyncStream<FetchedResultsList>.makeStream()
        let watcher = coordinator.liveContext()
        try await watcher.perform { context in
            let request = FetchRequest<Post>().sorted(by: \.title)
            let controller = try FetchedResultsController(request: request, context: context)
            try controller.performFetch()
            controller.onChange = { [unowned controller] _ in continuation.yield(controller.list) }
        }
        try coordinator.withContext { context in
            try context.insert(Post.self).title = "Watching"
            try context.save()
        }
        for await list in lists {
            print(list.objectIDs.count)  // 5
            break
        }
        // End

        // engine.md
        let rows = BatchInsertRequest("Tag", rows: (1...1_000).map { ["name": .string("tag \($0)")] })
        print(try coordinator.execute(rows).count)  // 1000

        var update = BatchUpdateRequest("Post", predicate: try ObjectPredicate("views > 100"))
        update.propertiesToUpdate["views"] = try ObjectExpression("views / 10")
        update.propertiesToUpdate["title"] = try ObjectExpression("uppercase:(title)")
        print(try coordinator.execute(update).count)  // 2

        let deletion = BatchDeleteRequest(FetchRequest<Tag>().where { $0.name.begins(with: "tag ") })
        print(try coordinator.execute(deletion).count)  // 1000
        // End

        // engine.md
        try coordinator.withContext { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            var numbers = (1...2_000).makeIterator()
            var users = BatchInsertRequest("User") {
                guard let number = numbers.next() else { return nil }
                return ["name": .string(number == 1 ? "Anna" : "Reader \(number)"), "age": 40]
            }
            users.chunkSize = 500
            print(try context.execute(users).count)  // 2000
            print(try context.count(FetchRequest<User>()))  // 2001
            print(try context.existingObject(with: annaID, as: User.self).age ?? 0)  // 40
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            var raise = BatchUpdateRequest("Post")
            raise.propertiesToUpdate["views"] = try ObjectExpression("views + 1")
            let result = try context.draft(raise)
            print(context.updatedObjects.count == result.count)  // true
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            try context.setQueryGeneration(.current)
            let count = try context.count(FetchRequest<Post>())
            try coordinator.withContext { other in
                try other.insert(Post.self)
                try other.save()
            }
            print(try context.count(FetchRequest<Post>()) == count)  // true
        }
        // End

        // engine.md
        let newest = RelatedRequest(sortDescriptors: [ObjectSortDescriptor("createdAt", ascending: false)], limit: 2)
        try coordinator.read { reader in
            let users = try reader.snapshots(FetchRequest("User"))
            guard let posts = reader.model.entity(named: "User")?.relationship(named: "posts") else { return }
            let related = try reader.related(along: posts, owners: users.map(\.objectID), matching: newest)
            print(related.members.allSatisfy { $0.count <= 2 })  // true
        }
        // End

        // engine.md
        var newestFirst = FetchRequest<ManagedObject>("Post")
        newestFirst.sortDescriptors = [ObjectSortDescriptor("createdAt", ascending: false)]
        newestFirst.fetchLimit = 3
        try coordinator.read { [newestFirst] reader in
            var (page, seen) = (try reader.page(newestFirst), 0)
            while let last = page.last {
                seen += page.count
                page = try reader.page(newestFirst, after: reader.sortKeys(of: last, for: newestFirst))
            }
            print(try seen == reader.count(FetchRequest("Post")))  // true
        }
        // End

        // engine.md
        let patience = WorkLimits(deadline: .now + .seconds(5), isCancelled: { Task.isCancelled })
        let total = try patience.hold {
            try coordinator.withContext { context in try context.count(FetchRequest<Post>()) }
        }
        print(total > 0)  // true
        // End

        // engine.md
        let path = FileManager.default.temporaryDirectory.appending(path: "blog-\(UUID().uuidString).xml").path
        let counts = try ["Monday", "Tuesday"].map { title in
            let diary = PersistentStoreCoordinator(model: model, classes: [Post.self])
            try diary.add(AtomicStore(path: path, format: .xml, model: model))
            return try diary.withContext { context in
                try context.insert(Post.self).title = title
                try context.save()
                return try context.count(FetchRequest<Post>())
            }
        }
        print(counts)  // [1, 2]
        try FileManager.default.removeItem(atPath: path)
        // End

        // engine.md
        let siteModel = try ManagedObjectModel(
            Model {
                Entity("Article") {
                    Attribute("title", .string)
                    FetchedProperty("visits", of: "Visit", predicate: "title == $FETCH_SOURCE.title")
                }
                Entity("Visit") { Attribute("title", .string) }
                Configuration("Content", entities: ["Article"])
                Configuration("Log", entities: ["Visit"])
            }
        )
        let site = PersistentStoreCoordinator(model: siteModel)
        try site.add(InMemoryStore(model: siteModel), configuration: "Content")
        try site.add(InMemoryStore(model: siteModel), configuration: "Log")
        try site.withContext { context in
            let article = try context.insert("Article")
            try article.setValue("Faults", forKey: "title")
            for _ in 1...3 { try context.insert("Visit").setValue("Faults", forKey: "title") }
            try context.save()
            print(try article.objects(ofFetchedProperty: "visits").count)  // 3
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            let post = try context.fetch(FetchRequest<Post>())[0]
            let postID = post.objectID
            let length = try context.withChild { child in try child.object(with: postID, as: Post.self).title.count }
            print(length == post.title.count)  // true
        }
        // End

        // engine.md
        func status(of error: GraphError) -> Int {
            switch error.code {
            case .validation: 422
            case .conflict, .constraint: 409
            case .objectMissing: 404
            default: 500
            }
        }
        do {
            try coordinator.withContext { context in
                try context.insert(User.self).name = "Anna"
                try context.save()
            }
        } catch let error as GraphError {
            print(status(of: error))  // 409
            print(error.message)  // Unique constraints are violated: User (name: "Anna").
        }
        // End
        return lines.all
    }

    /// The text of a store's file that has a post and its tag in it.
    package static func storeFile(in folder: String) throws -> String {
        let path = folder + "/Blog.xml"
        let model = try ManagedObjectModel(blog)
        let coordinator = PersistentStoreCoordinator(model: model, classes: [Post.self, Tag.self])
        try coordinator.add(AtomicStore(path: path, format: .xml, model: model))
        try coordinator.withContext { context in
            let post = try context.insert(Post.self)
            post.title = "Monday"
            post.createdAt = Date(timeIntervalSince1970: 1_795_253_400)
            let tag = try context.insert(Tag.self)
            tag.name = "diary"
            post.tags.insert(tag)
            try context.save()
        }
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func append(_ line: String) { lines.withLock { $0.append(line) } }
    }
}
