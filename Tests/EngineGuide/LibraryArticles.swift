// SPDX-License-Identifier: Apache-2.0

// The examples of the articles in Sources/Outcrop/Outcrop.docc, each as it is shown there, between marker lines, so that
// they are compiled and run in order. `print` collects their output.

import Outcrop
import Synchronization

package enum LibraryArticles {
    /// Runs the examples over a store in a folder, and returns the lines that they print.
    package static func run(in folder: String) async throws -> [String] {
        let lines = Mutex<[String]>([])
        @Sendable func print(_ item: any CustomStringConvertible & Sendable) {
            lines.withLock { $0.append(item.description) }
        }
        let path = folder + "/Shelf.sqlite"

        // FirstSteps.md
        let model = try ManagedObjectModel(shelf)
        let coordinator = PersistentStoreCoordinator(model: model, classes: [Author.self, Book.self])
        try coordinator.add(SQLiteStore(path: path, model: model))
        // End

        // FirstSteps.md
        try coordinator.withContext { context in
            let author = try context.insert(Author.self)
            author.name = "Ursula K. Le Guin"
            for (title, pages) in [("The Dispossessed", 341), ("The Lathe of Heaven", 184)] {
                let book = try context.insert(Book.self)
                book.title = title
                book.pages = Int32(pages)
                book.author = author
            }
            print(author.books.count)  // 2
            try context.save()
        }
        // End

        // FirstSteps.md
        let titles = try coordinator.withContext { context in
            let long = FetchRequest<Book>()
                .where { $0.author.name == "Ursula K. Le Guin" && $0.pages > 200 }
                .sorted(by: \.title)
            return try context.fetch(long).map(\.title)
        }
        print(titles)  // ["The Dispossessed"]
        // End

        // ContextsAndSaving.md
        let bookID = try coordinator.withContext { context in
            try context.objectIDs(FetchRequest<Book>().where { $0.title == "The Dispossessed" })[0]
        }
        try coordinator.withContext { context in
            print(try context.existingObject(with: bookID, as: Book.self).pages)  // 341
        }
        // End

        // ContextsAndSaving.md
        try coordinator.withContext { context in
            try context.insert(Book.self).title = ""
            do {
                try context.save()
            } catch let error as GraphError {
                print(error.code.rawValue)  // validation
                print(error.failures.map { $0.property ?? "" })  // ["title"]
            }
        }
        // End

        // ContextsAndSaving.md
        try coordinator.withContext { context in
            let mine = try context.object(with: bookID, as: Book.self)
            mine.title = "The Dispossessed: An Ambiguous Utopia"

            try coordinator.withContext { other in
                try other.object(with: bookID, as: Book.self).pages = 387
                try other.save()
            }

            do {
                try context.save()
            } catch let error as GraphError {
                print(error.code.rawValue)  // conflict
            }
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            print("\(mine.title), \(mine.pages)")  // The Dispossessed: An Ambiguous Utopia, 387
        }
        // End

        // ContextsAndSaving.md
        let editor = coordinator.liveContext()
        try await editor.perform { context in
            context.undoManager = ObjectUndoManager()
            try context.object(with: bookID, as: Book.self).pages = 400
        }
        try await editor.perform { context in
            try context.undo()
            print(try context.object(with: bookID, as: Book.self).pages)  // 387
        }
        // End

        // BatchesAndHistory.md
        let token = try coordinator.currentHistoryToken()

        let rows = (1...1_000).map { ["title": Value.string("Volume \($0)"), "pages": 100] }
        print(try coordinator.execute(BatchInsertRequest("Book", rows: rows)).count)  // 1000

        var update = BatchUpdateRequest("Book", predicate: try ObjectPredicate("title BEGINSWITH %@", "Volume"))
        update.propertiesToUpdate["pages"] = try ObjectExpression("pages + 20")
        print(try coordinator.execute(update).count)  // 1000

        let deletion = BatchDeleteRequest(FetchRequest<Book>().where { $0.title.begins(with: "Volume") })
        print(try coordinator.execute(deletion).count)  // 1000
        // End

        // BatchesAndHistory.md
        let result = try coordinator.history(HistoryRequest(after: token))
        print(result.transactions.map(\.changes.count))  // [1000, 1000, 1000]
        // End

        // BatchesAndHistory.md
        let saves = coordinator.notifications()
        try coordinator.withContext { context in
            context.transactionAuthor = "Anna"
            try context.insert(Author.self).name = "Stanisław Lem"
            try context.save()
        }
        for await case .didSave(let saved) in saves {
            print(saved.inserted.map(\.entity.name))  // ["Author"]
            break
        }
        // End
        return lines.withLock(\.self)
    }
}
