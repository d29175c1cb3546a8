// SPDX-License-Identifier: Apache-2.0

// A program that uses the objects of a blog. The README beside it shows the output.

import Outcrop

@main
enum Library {
    static func main() async throws {
        try await run(modelPath: "Config/Demo.xcdatamodeld") { print($0) }
    }

    static func run(modelPath: String, say: @Sendable (String) -> Void) async throws {
        let model = try ManagedObjectModel(ModelFile.read(path: modelPath).current.model)
        let coordinator = PersistentStoreCoordinator(model: model, classes: DemoModel.classes)
        try coordinator.add(InMemoryStore(model: model))
        try fill(coordinator)

        let best = try coordinator.withContext { context in
            let request = FetchRequest<Post>()
                .where { $0.author.name == "Anna" && $0.views > 50 }
                .sorted(by: \.views, .descending)
            say("\(request.predicate, default: "all")")
            return try context.fetch(request).map { "\($0.title) (\($0.views))" }
        }
        say("Read most: \(best.joined(separator: ", "))")

        try await edit(coordinator, say: say)

        let post = try coordinator.withContext { context in
            let request = FetchRequest<Post>().where {
                $0.tags.any.name == "swift" && $0.author.address.city == "Aarhus"
            }
            return try context.fetch(request.sorted(by: \.slug)).first.map(PostDTO.init)
        }
        say("By itself: \(post?.title ?? "none"), \(post?.author == nil ? "by nobody" : "with its author's ID")")

        do {
            try coordinator.withContext { context in
                try context.insert(Tag.self)
                try context.save()
            }
        } catch let error as GraphError {
            for failure in error.failures { say("Not saved: \(failure.message)") }
        }
    }

    /// Inserts related objects and saves them.
    private static func fill(_ coordinator: PersistentStoreCoordinator) throws {
        try coordinator.withContext { context in
            let anna = try context.insert(User.self)
            anna.name = "Anna"
            anna.username = "anna"
            anna.address = Address(city: "Aarhus")
            let swift = try context.insert(Tag.self)
            swift.name = "swift"
            for (title, views) in [("Faults", 120), ("Contexts", 80), ("Undo", 15)] {
                let post = try context.insert(Post.self)
                post.title = title
                post.views = Int64(views)
                post.author = anna
                post.tags.append(swift)
            }
            try context.save()
        }
    }

    /// Undoes and redoes changes in a long-lived context.
    private static func edit(_ coordinator: PersistentStoreCoordinator, say: @Sendable (String) -> Void) async throws {
        let editor = coordinator.liveContext()
        try await editor.perform { context in
            context.undoManager = ObjectUndoManager()
            guard let post = try context.fetch(FetchRequest<Post>().where { $0.title == "Undo" }).first else { return }
            post.title = "Undo and redo"
            say("Changed: \(post.title)")
            try context.undo()
            say("Taken back: \(post.title)")
            try context.redo()
            try context.save()
            say("Saved: \(post.title), one of \(post.author?.posts.count ?? 0)")
        }
    }
}
