// SPDX-License-Identifier: Apache-2.0

// The examples of docs/engine.md, each as it stands there between the lines that mark it, so that they are compiled and run
// one after the other. `print` collects what they print.

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
            let anna = try context.existingObject(with: annaID)
            print(anna === context.object(with: annaID))  // true
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            let anna = try context.insert(User.self)
            anna.name = "Bea"
            let faults = try context.insert(Post.self)
            faults.title = "Faults"
            faults.author = anna
            print(anna.posts.contains(faults))  // true

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
            for (title, views) in [("Contexts", 80), ("Undo", 15), ("Saving", 120)] {
                let post = try context.insert(Post.self)
                post.title = title
                post.views = Int64(views)
                post.author = try context.existingObject(with: annaID) as? User
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
            let request = FetchRequest<Post>().where { $0.author != nil }.prefetching(\.author)
            let posts = try context.fetch(request)
            print(posts.allSatisfy(\.isFault))  // false
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
            context.undoManager = UndoManager()
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
            let mine = context.object(with: draftID) as! Post
            mine.title = "My contexts"

            try coordinator.withContext { other in
                let theirs = other.object(with: draftID) as! Post
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
        try coordinator.withContext { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            let again = try context.insert(User.self)
            again.name = "Anna"
            again.age = 30
            try context.save()
            let anna = try context.existingObject(with: annaID) as! User
            print(anna.age ?? 0)  // 30
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            let post = context.object(with: draftID) as! Post
            try context.withChild { child in
                let sketch = child.object(with: draftID) as! Post
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
            let post = context.object(with: draftID) as! Post
            post.title = "Live contexts"
        }
        try coordinator.withContext { context in
            (context.object(with: draftID) as! Post).views = 2_000
            try context.save()
        }
        try await editor.perform { context in
            let post = context.object(with: draftID) as! Post
            print("\(post.title): \(post.views)")  // Live contexts: 2000
            try context.save()
        }
        // End

        // engine.md
        try coordinator.withContext { context in
            let request = FetchRequest<Post>().sorted(by: \.title)
            let controller = try FetchedResultsController(request: request, context: context)
            try controller.performFetch()
            let before = controller.list
            controller.onChange = { changes in
                print(changes.objects.count)  // 2
                print(changes.applying(to: before) == controller.list)  // true
            }
            let first = controller.fetchedObjects[0]
            first.title = "Zebras"
            context.delete(controller.fetchedObjects[1])
            try context.processPendingChanges()
            print(controller.fetchedObjects.last === first)  // true
        }
        // End

        // engine.md
        let tags = BatchInsertRequest("Tag", rows: (1...1_000).map { ["name": .string("tag \($0)")] })
        print(try coordinator.execute(tags).count)  // 1000

        var update = BatchUpdateRequest("Post", predicate: try ObjectPredicate("views > 100"))
        update.propertiesToUpdate["views"] = try ObjectExpression("views / 10")
        update.propertiesToUpdate["title"] = try ObjectExpression("uppercase:(title)")
        print(try coordinator.execute(update).count)  // 2

        let deletion = BatchDeleteRequest(FetchRequest<Tag>().where { $0.name.begins(with: "tag ") })
        print(try coordinator.execute(deletion).count)  // 1000
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
        return lines.all
    }

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func append(_ line: String) { lines.withLock { $0.append(line) } }
    }
}
