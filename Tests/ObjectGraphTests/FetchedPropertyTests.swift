// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import Testing

@Suite("Fetched properties")
struct FetchedPropertyTests {
    let library: Bookshop

    init() throws {
        library = try Bookshop()
    }

    private static func titles(_ object: ManagedObject, _ property: String) throws -> [String] {
        try object.objects(ofFetchedProperty: property).map { try $0.title() }.sorted()
    }

    @Test("FETCH_SOURCE refers to the object, and FETCHED_PROPERTY to the property's description")
    func bindings() throws {
        try library.run { (context) throws in
            let ada = try context.writer("Ada")
            #expect(try Self.titles(ada, "bestsellers") == ["Bread", "Clay"])
            #expect(try Self.titles(ada, "peers") == ["Cy"])
            #expect(try Self.titles(ada, "alike") == ["Ash", "Bread", "Clay"])
            #expect(try Self.titles(ada, "listed") == ["Bread"])
            #expect(try Self.titles(ada, "named") == [])
            try context.writer("Cy").setValue("named", forKey: "name")
            try context.refresh(ada, mergingChanges: false)
            #expect(try Self.titles(ada, "named") == ["named"])
        }
    }

    @Test("a fetched property is fetched once, until the object is refreshed")
    func caching() throws {
        try library.run { (context) throws in
            let ada = try context.writer("Ada")
            _ = try ada.title()
            library.takeCalls()
            #expect(try ada.objects(ofFetchedProperty: "bestsellers").count == 2)
            #expect(try ada.objects(ofFetchedProperty: "bestsellers").count == 2)
            #expect(library.takeCalls() == CountingStore.Calls(fetch: 1))
            try context.book("Clay").setValue(1, forKey: "sold")
            try context.save()
            #expect(try Self.titles(ada, "bestsellers") == ["Bread", "Clay"])
            try context.refresh(ada, mergingChanges: true)
            #expect(try Self.titles(ada, "bestsellers") == ["Bread"])
            try context.book("Ash").setValue(99, forKey: "sold")
            try context.refresh(ada, mergingChanges: false)
            #expect(try Self.titles(ada, "bestsellers") == ["Ash", "Bread"])
        }
    }

    @Test("fetched properties find pending objects, and work on pending objects")
    func pendingObjects() throws {
        try library.run { (context) throws in
            let new = try context.insert("Poet")
            try new.setValue(.dictionary(["city": "Oslo"]), forKey: "home")
            let book = try context.insert("Book")
            try book.setValue(50, forKey: "sold")
            try book.relate("writer", new)
            #expect(try new.objects(ofFetchedProperty: "bestsellers") == [book])
            #expect(try Self.titles(new, "peers") == ["Bo"])
            try context.save()
            #expect(try new.objects(ofFetchedProperty: "bestsellers") == [book])
        }
    }

    @Test("a fetched property finds objects of other stores")
    func acrossStores() throws {
        try Bookshop(spansStores: true).run { (context) throws in
            #expect(try Self.titles(try context.writer("Bo"), "listed") == ["Bread"])
        }
    }

    @Test("fetched properties work in predicates in memory, but not in fetches or their own predicates")
    func inPredicates() throws {
        try library.run { (context) throws in
            let predicate = try ObjectPredicate("ANY bestsellers.title == 'Clay'")
            let writers = try context.fetch(FetchRequest<ManagedObject>("Writer"))
            #expect(try writers.filter { try predicate.evaluate(with: $0) }.map { try $0.title() } == ["Ada"])
        }
        let error = try library.error { context in
            _ = try context.fetch(try FetchRequest<ManagedObject>("Writer", where: "ANY bestsellers.title == 'Clay'"))
        }
        #expect(error.message.contains("fetched property"))
        let endless = try library.error { _ = try $0.writer("Ada").objects(ofFetchedProperty: "endless") }
        #expect(endless.property == "$FETCH_SOURCE.endless")
    }

    @Test("reading a fetched property by other methods or a wrong name is an error with a remedy")
    func errors() throws {
        try library.run { (context) throws in
            let ada = try context.writer("Ada")
            func error(_ body: () throws -> Void) throws -> GraphError {
                try #require(throws: GraphError.self, performing: body)
            }
            let wrong = try error { _ = try ada.objects(ofFetchedProperty: "bestseller") }
            #expect(wrong.code == .unknownName)
            #expect(wrong.hint == "Did you mean “bestsellers”?")
            #expect(try error { _ = try ada.objects(ofFetchedProperty: "bare") }.property == "$FETCHED_PROPERTY")
            let value = try error { _ = try ada.value(forKey: "bestsellers") }
            #expect(value.hint == "Use objects(ofFetchedProperty: \"bestsellers\").")
            #expect(try error { _ = try ada.value(forKey: "books") }.message.contains("to-many relationship"))
            #expect(try error { try ada.setValue(.null, forKey: "mentor") }.message.contains("relationship"))
            #expect(try error { _ = try ada.value(forKey: "nam") }.hint == "Did you mean “name”?")
        }
    }
}
