// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ObjectGraph
import Predicates
import Testing

@Suite("Options of fetch requests")
struct FetchOptionTests {
    let library: Bookshop

    init() throws {
        library = try Bookshop()
    }

    // MARK: Values and faults

    @Test("a fetch is one call to the store, which also fills the objects")
    func oneCall() throws {
        try library.run { (context) throws in
            let books = try context.fetch(FetchRequest<ManagedObject>("Book", by: "title"))
            #expect(books.allSatisfy({ $0.isFault }))
            #expect(try books.map { try $0.title() } == ["Ash", "Bread", "Clay", "Dew", "Elm"])
            #expect(library.takeCalls() == CountingStore.Calls(fetch: 1))
        }
    }

    @Test("objects that aren't requested as faults are filled without another call")
    func filled() throws {
        var request = FetchRequest<ManagedObject>("Book")
        request.returnsObjectsAsFaults = false
        let sent = request
        try library.run { (context) throws in
            #expect(try context.fetch(sent).allSatisfy { !$0.isFault })
            #expect(library.takeCalls() == CountingStore.Calls(fetch: 1))
        }
    }

    @Test("a fetch without property values requests IDs, and each fault requests its own row")
    func bareFaults() throws {
        var request = try FetchRequest<ManagedObject>("Book", where: "sold >= 20", by: "title")
        request.includesPropertyValues = false
        let sent = request
        try library.run { (context) throws in
            let books = try context.fetch(sent)
            #expect(library.store.kinds == [.objectIDs])
            library.takeCalls()
            #expect(try books.map { try $0.title() } == ["Bread", "Clay", "Dew"])
            #expect(library.takeCalls() == CountingStore.Calls(snapshots: 3))
        }
    }

    @Test("a fetch without property values includes pending changes and keeps the order")
    func bareFaultsWithPendingChanges() throws {
        var request = try FetchRequest<ManagedObject>("Book", where: "sold >= 20", by: "title")
        request.includesPropertyValues = false
        let sent = request
        try library.run { (context) throws in
            let book = try context.book("Ash")
            try book.setValue(21, forKey: "sold")
            try context.book("Clay").setValue(1, forKey: "sold")
            library.takeCalls()
            #expect(try context.titles(sent) == ["Ash", "Bread", "Dew"])
            var unordered = sent
            unordered.sortDescriptors = []
            library.takeCalls()
            #expect(try context.fetch(unordered).contains(book))
            #expect(library.store.kinds == [.objectIDs])
        }
    }

    @Test("values of registered objects are refreshed only if requested")
    func refreshing() throws {
        try library.run { (context) throws in
            let book = try context.book("Ash")
            #expect(try book.value(forKey: "sold") == 10)
            try library.run { other in
                try other.book("Ash").setValue(11, forKey: "sold")
                try other.save()
            }
            var request = FetchRequest<ManagedObject>("Book")
            _ = try context.fetch(request)
            #expect(try book.value(forKey: "sold") == 10)
            request.shouldRefreshRefetchedObjects = true
            _ = try context.fetch(request)
            #expect(try book.value(forKey: "sold") == 11)
        }
    }

    // MARK: Prefetching

    @Test(
        "prefetching makes one call for each step, for any kind of relationship",
        arguments: [
            (["writer"], CountingStore.Calls(fetch: 1, snapshots: 1)),
            (["writer", "drafter"], CountingStore.Calls(fetch: 1, snapshots: 1)),
            (["writer.mentor", "writer"], CountingStore.Calls(fetch: 1, snapshots: 2)),
            (["writer.books"], CountingStore.Calls(fetch: 1, snapshots: 1, related: 1)),
            (["tags"], CountingStore.Calls(fetch: 1, related: 1)),
            (["tags.books.pages"], CountingStore.Calls(fetch: 1, related: 3)),
        ]
    )
    func prefetching(keyPaths: [String], calls: CountingStore.Calls) throws {
        try library.run { (context) throws in
            try context.writer("Ada").relate("mentor", try context.writer("Cy"))
            for book in try context.fetch(FetchRequest<ManagedObject>("Book")) {
                let tag = try context.insert("Tag")
                try book.relate("tags", tag)
            }
            try context.save()
        }
        try library.run { (context) throws in
            var request = try FetchRequest<ManagedObject>("Book", by: "title")
            request.relationshipKeyPathsForPrefetching = keyPaths
            library.takeCalls()
            let books = try context.fetch(request)
            #expect(library.takeCalls() == calls)
            for keyPath in keyPaths {
                var objects = books
                for step in keyPath.split(separator: ".") {
                    objects = try objects.flatMap { try $0.related("\(step)") }
                }
                for object in objects { _ = try object.operand(forKey: "name") }
            }
            #expect(library.takeCalls().all == 0)
            if keyPaths == ["writer.books"] {
                #expect(Set(try books[0].related("writer")[0].related("books")) == Set(books[0...2]))
            }
        }
    }

    @Test("prefetched members include pending changes")
    func prefetchingPendingMembers() throws {
        try library.run { (context) throws in
            let (ada, bo) = (try context.writer("Ada"), try context.writer("Bo"))
            let (ash, dew) = (try context.book("Ash"), try context.book("Dew"))
            try dew.relate("writer", ada)
            try ash.relate("writer", nil)
            var request = try FetchRequest<ManagedObject>("Writer", by: "name")
            request.relationshipKeyPathsForPrefetching = ["books"]
            #expect(try context.fetch(request).count == 3)
            #expect(Set(try ada.related("books").map { try $0.title() }) == ["Bread", "Clay", "Dew"])
            #expect(try bo.related("books").isEmpty)
        }
    }

    @Test("prefetched members of an ordered relationship are in order")
    func prefetchingInOrder() throws {
        try library.run { (context) throws in
            let pages = try ["2", "3", "1"].map {
                let page = try context.insert("Page")
                try page.setValue(.string($0), forKey: "name")
                return page
            }
            try context.save()
            let book = try context.book("Ash")
            for page in [pages[2], pages[0], pages[1]] { try book.relate("pages", page) }
            try context.save()
        }
        try library.run { (context) throws in
            var request = try FetchRequest<ManagedObject>("Book", where: "title == 'Ash'")
            request.relationshipKeyPathsForPrefetching = ["pages"]
            library.takeCalls()
            let book = try #require(try context.fetch(request).first)
            #expect(library.takeCalls() == CountingStore.Calls(fetch: 1, related: 1))
            #expect(try book.related("pages").map { try $0.title() } == ["1", "2", "3"])
            #expect(library.takeCalls().all == 0)
        }
    }

    @Test(
        "prefetching follows relationships of subentities, even several of the same name"
    )
    func prefetchingBelow() throws {
        try library.run { (context) throws in
            for name in ["Ada", "Bo"] {
                let editor = try context.insert("Editor")
                try editor.setValue(.string("of \(name)"), forKey: "name")
                try context.writer(name).relate("editor", editor)
            }
            try context.book("Elm").relate("drafter", try context.writer("Ada"))
            try context.save()
        }
        try library.run { (context) throws in
            var request = try FetchRequest<ManagedObject>("Writer", by: "name")
            request.relationshipKeyPathsForPrefetching = ["editor", "drafts"]
            library.takeCalls()
            let writers = try context.fetch(request)
            #expect(library.takeCalls() == CountingStore.Calls(fetch: 1, snapshots: 1, related: 1))
            #expect(try writers[0].related("editor")[0].title() == "of Ada")
            #expect(try writers[1].related("editor")[0].title() == "of Bo")
            #expect(try writers[0].related("drafts")[0].title() == "Elm")
            #expect(library.takeCalls().all == 0)
        }
    }

    @Test("an invalid key path for prefetching is an error")
    func wrongPrefetching() throws {
        for (keyPath, says) in [
            ("writter", "Did you mean “writer”?"), ("writer.name", "isn't a relationship"), ("", ""),
        ] {
            let error = try library.error { context in
                var request = FetchRequest<ManagedObject>("Book")
                request.relationshipKeyPathsForPrefetching = [keyPath]
                _ = try context.fetch(request)
            }
            #expect(error.code == .unknownName)
            #expect(error.property == keyPath)
            #expect(library.takeCalls().all == 0)
            #expect(error.description.contains(says))
        }
    }

    @Test("sorting pending objects by related objects makes one call for each step")
    func orderAlongRelationships() throws {
        try library.run { (context) throws in
            let new = try context.insert("Book")
            try new.setValue("New", forKey: "title")
            let request = try FetchRequest<ManagedObject>("Book", by: "-writer.name,title")
            let titles = try context.titles(request)
            #expect(library.takeCalls() == CountingStore.Calls(fetch: 1, snapshots: 1))
            #expect(titles == ["Dew", "Ash", "Bread", "Clay", "Elm", "New"])
        }
    }

    // MARK: Stores

    @Test("only affected stores are fetched, along with pending objects without a store")
    func affectedStores() throws {
        let library = try Bookshop(spansStores: true)
        let second = try #require(library.second)
        try library.run { (context) throws in
            var request = try FetchRequest<ManagedObject>("Book", by: "title")
            request.affectedStores = [second.identifier]
            #expect(try context.titles(request) == ["Dew", "Elm"])
            #expect(try context.count(request) == 2)
            #expect(library.takeCalls().all == 0)
            request.affectedStores = [library.store.identifier]
            #expect(try context.objectIDs(request).count == 3)
            let assigned = try context.insert("Book")
            try assigned.setValue("Fir", forKey: "title")
            try context.assign(assigned, to: second)
            try context.insert("Book").setValue("Gum", forKey: "title")
            try context.book("Dew").setValue("Doe", forKey: "title")
            #expect(try context.titles(request) == ["Ash", "Bread", "Clay", "Gum"])
            request.affectedStores = [second.identifier]
            #expect(try context.titles(request) == ["Doe", "Elm", "Fir", "Gum"])
            request.affectedStores = []
            request.includesPendingChanges = false
            #expect(try context.fetch(request).isEmpty)
        }
        let unknown = UUID()
        let error = try library.error { context in
            var request = FetchRequest<ManagedObject>("Book")
            request.affectedStores = [unknown]
            _ = try context.fetch(request)
        }
        #expect(error.code == .unknownStore)
    }

    @Test("without pending changes, the order across stores is that of the saved values")
    func orderOfSavedState() throws {
        let library = try Bookshop(spansStores: true)
        try library.run { (context) throws in
            try context.book("Ash").setValue("Zed", forKey: "title")
            var request = try FetchRequest<ManagedObject>("Book", by: "title")
            request.includesPendingChanges = false
            (request.fetchOffset, request.fetchLimit) = (0, 2)
            #expect(try context.titles(request) == ["Zed", "Bread"])
            request.includesPendingChanges = true
            #expect(try context.titles(request) == ["Bread", "Clay"])
        }
    }

    // MARK: Entities

    @Test("subentities can be excluded, including pending objects and table rows")
    func subentities() throws {
        try library.run { (context) throws in
            var request = try FetchRequest<ManagedObject>("Writer", by: "name")
            request.propertiesToFetch = ["name", "entity"]
            #expect(try context.table(request).rows == [["Ada", "Novelist"], ["Bo", "Poet"], ["Cy", "Writer"]])
            try context.insert("Poet").setValue("Di", forKey: "name")
            try context.insert("Writer").setValue("Ed", forKey: "name")
            #expect(try context.titles(request) == ["Ada", "Bo", "Cy", "Di", "Ed"])
            request.includesSubentities = false
            #expect(try context.titles(request) == ["Cy", "Ed"])
            #expect(try context.count(request) == 2)
            #expect(try context.table(request).rows == [["Cy", "Writer"], ["Ed", "Writer"]])
        }
    }

    // MARK: Windows

    @Test("counts, IDs and objects have the same window, with and without pending changes", arguments: [false, true])
    func windows(spansStores: Bool) throws {
        let library = try Bookshop(spansStores: spansStores)
        for isPending in [false, true] {
            try library.run { (context) throws in
                if isPending { try context.insert("Book").setValue("Fir", forKey: "title") }
                let all = ["Ash", "Bread", "Clay", "Dew", "Elm"] + (isPending ? ["Fir"] : [])
                for (offset, limit) in [
                    (0, 0), (0, 2), (1, 2), (4, 5), (5, 0), (6, 1), (99, 9), (1, .max), (.max, .max),
                ] {
                    var request = try FetchRequest<ManagedObject>("Book", by: "title")
                    (request.fetchOffset, request.fetchLimit) = (offset, limit)
                    let expected = Array(all.dropFirst(offset).prefix(limit == 0 ? .max : limit))
                    #expect(try context.titles(request) == expected)
                    #expect(try context.count(request) == expected.count)
                    #expect(try context.objectIDs(request).count == expected.count)
                    #expect(try context.fetchLazily(request).map { try $0.title() } == expected)
                }
            }
        }
    }

    @Test(
        "a negative limit, offset or batch size is an error",
        arguments: ["fetchLimit", "fetchOffset", "fetchBatchSize"]
    )
    func negativeNumbers(name: String) throws {
        let error = try library.error { context in
            var request = FetchRequest<ManagedObject>("Book")
            switch name {
            case "fetchLimit": request.fetchLimit = -1
            case "fetchOffset": request.fetchOffset = -1
            default: request.fetchBatchSize = -1
            }
            _ = try context.fetch(request)
        }
        #expect(error.code == .invalidRequest)
        #expect(error.property == name)
    }

    @Test("nil is first in ascending order, in the store and with pending changes")
    func nilsFirst() throws {
        try library.run { (context) throws in
            let request = try FetchRequest<ManagedObject>("Book", by: "price,title")
            #expect(try context.titles(request) == ["Bread", "Elm", "Ash", "Clay", "Dew"])
            try context.insert("Book").setValue("Cob", forKey: "title")
            #expect(try context.titles(request) == ["Bread", "Cob", "Elm", "Ash", "Clay", "Dew"])
        }
    }

    // MARK: Predicates

    @Test("objects are found by IDs in predicates, including pending objects")
    func objectIDs() throws {
        try library.run { (context) throws in
            let (ash, ada) = (try context.book("Ash"), try context.writer("Ada"))
            let new = try context.insert("Book")
            try new.setValue("New", forKey: "title")
            let poet = try context.insert("Poet")
            try new.relate("writer", poet)
            try context.book("Elm").relate("writer", ada)
            func titles(_ format: String, _ arguments: any ValueConvertible...) throws -> [String] {
                let predicate = try ObjectPredicate(format, arguments: arguments.map(\.value))
                var request = FetchRequest<ManagedObject>("Book", predicate: predicate)
                request.sortDescriptors = [ObjectSortDescriptor("title")]
                return try context.titles(request)
            }
            #expect(try titles("SELF IN %@", [ash.objectID, new.objectID]) == ["Ash", "New"])
            #expect(try titles("objectID == %@", ash.objectID) == ["Ash"])
            #expect(try titles("objectID == %@", new.objectID) == ["New"])
            #expect(try titles("SELF == %@", new.objectID) == ["New"])
            #expect(try titles("writer == %@", poet.objectID) == ["New"])
            #expect(try titles("writer == %@", ada.objectID) == ["Ash", "Bread", "Clay", "Elm"])
            #expect(try titles("NOT SELF IN %@ AND writer != %@", [ash.objectID], ada.objectID) == ["Dew", "New"])
        }
    }

    @Test("pending relationships are included, with any window")
    func pendingRelationships() throws {
        try library.run { (context) throws in
            let (ada, bo) = (try context.writer("Ada"), try context.writer("Bo"))
            try context.book("Ash").relate("writer", bo)
            try context.book("Dew").relate("writer", ada)
            var request = try FetchRequest<ManagedObject>("Book", where: "writer.name == 'Ada'", by: "title")
            #expect(try context.titles(request) == ["Bread", "Clay", "Dew"])
            (request.fetchOffset, request.fetchLimit) = (1, 1)
            #expect(try context.titles(request) == ["Clay"])
            let many = try FetchRequest<ManagedObject>("Writer", where: "ANY books.title == 'Ash'")
            #expect(try context.titles(many) == ["Bo"])
            let counted = try FetchRequest<ManagedObject>("Writer", where: "books.@count == 3", by: "name")
            #expect(try context.titles(counted) == ["Ada"])
        }
    }

    @Test(
        "an invalid predicate or order is an error before any store call",
        arguments: [
            ("titel == 'x'", "", "titel", "Did you mean “title”?"),
            ("writer.prize == 'x'", "", "writer.prize", "Its subentity Novelist has this property"),
            ("ANY writer.bestsellers.sold > 1", "", "writer.bestsellers.sold", "fetched property"),
            ("note == 'x'", "", "note", "transient"),
            ("title == $x", "", "$x", "has no value"),
            ("SUBQUERY(tags, $t, $t.nam == 'x').@count > 1", "", "$t.nam", "Did you mean “name”?"),
            ("writer.@count > 1", "", "writer.@count", "other than a collection"),
            ("sold.x == 1", "", "sold.x", "continues after"),
            ("entity.nonsense == 'x'", "", "entity.nonsense", "“entity” is the name of the object's entity."),
            ("ANY tags.entity.name == 'x'", "", "tags.entity.name", "“entity” is the name of the object's entity."),
            ("entity.@count == 1", "", "entity.@count", "other than a collection"),
            ("writer.objectID.name == 'x'", "", "writer.objectID.name", "continues after “objectID”"),
            ("title.length.x == 1", "", "title.length.x", "continues after “length”"),
            ("TRUEPREDICATE", "entity.name", "entity.name", "continues after “entity”"),
            ("TRUEPREDICATE", "tags.name", "tags.name", "has many values"),
            ("TRUEPREDICATE", "tilte", "tilte", "Did you mean “title”?"),
        ]
    )
    func wrongPaths(predicate: String, order: String, property: String, says: String) throws {
        let error = try library.error { context in
            _ = try context.fetch(try FetchRequest<ManagedObject>("Book", where: nil, by: order).with(predicate))
        }
        #expect(error.property == property)
        #expect(error.description.contains(says), "\(error)")
        #expect(library.takeCalls().all == 0)
    }

    @Test("an evaluation error that depends on values is an error of the request, not of the store")
    func evaluationErrors() throws {
        let error = try library.error { context in
            _ = try context.fetch(FetchRequest<ManagedObject>("Book").with("title MATCHES '['"))
        }
        #expect(error.code == .invalidRequest)
        #expect(error.underlying is EvaluationError)
    }

    @Test("a predicate that is nested too deeply is an error")
    func tooDeep() throws {
        let error = try library.error { context in
            var request = FetchRequest<ManagedObject>("Book")
            request.predicate = (0..<500).reduce(.constant(true)) { predicate, _ in .not(predicate) }
            _ = try context.fetch(request)
        }
        #expect(error.code == .invalidRequest)
        #expect(library.takeCalls().all == 0)
    }

    @Test("an unknown entity is an error when the request is executed")
    func unknownEntity() throws {
        let request = FetchRequest<ManagedObject>("Bok")
        for ask: @Sendable (ManagedObjectContext) throws -> Void in [
            { _ = try $0.fetch(request) }, { _ = try $0.count(request) }, { _ = try $0.objectIDs(request) },
            { _ = try $0.dictionaries(request) }, { _ = try $0.fetchLazily(request) },
        ] {
            let error = try library.error(ask)
            #expect(error.code == .unknownName)
            #expect(error.hint == "Did you mean “Book”?")
        }
    }
}

extension FetchRequest where Object == ManagedObject {
    fileprivate func with(_ predicate: String) throws -> FetchRequest {
        var request = self
        request.predicate = try ObjectPredicate(template: predicate)
        return request
    }
}
