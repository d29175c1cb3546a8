// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Fetch request templates")
struct TemplateTests {
    let model: ManagedObjectModel

    init() throws {
        model = try Bookshop.model.get()
    }

    @Test("a template's variables are replaced by values or objects, and its options apply to the request")
    func substituting() throws {
        let library = try Bookshop()
        try library.run { (context) throws in
            let request = try model.fetchRequest(
                fromTemplate: "Popular",
                substituting: ["LEAST": 20, "BY": try context.writer("Ada").objectID, "MORE": "not needed"]
            )
            #expect(try Set(context.titles(request)) == ["Bread", "Clay"])
            #expect(request.fetchLimit == 5)
            #expect(request.fetchBatchSize == 2)
            #expect(!request.includesSubentities)
            #expect(!request.includesPropertyValues)
            #expect(!request.includesPendingChanges)
            #expect(!request.returnsObjectsAsFaults)
            #expect(request.returnsDistinctResults)
            #expect(request.resultType == .objectIDs)
            guard case .objectIDs(let ids) = try context.execute(request) else {
                Issue.record("The template asks for IDs.")
                return
            }
            #expect(ids.count == 2)
        }
    }

    @Test("a request from a template has defaults for unset options, and is a copy")
    func defaults() throws {
        var request = try model.fetchRequest(fromTemplate: "All")
        let plain = FetchRequest<ManagedObject>("Book")
        #expect(request.entityName == "Book")
        #expect(request.predicate == nil)
        #expect(request.fetchLimit == plain.fetchLimit)
        #expect(request.includesSubentities == plain.includesSubentities)
        #expect(request.resultType == .objects)
        request.fetchLimit = 1
        #expect(try model.fetchRequest(fromTemplate: "All").fetchLimit == 0)
    }

    @Test("a request is executed with its result type")
    func executing() throws {
        try Bookshop().run { (context) throws in
            var request = try FetchRequest<ManagedObject>("Book", where: "sold == 30")
            guard case .objects(let objects) = try context.execute(request) else {
                Issue.record("Objects were asked for.")
                return
            }
            #expect(try objects.map { try $0.title() } == ["Clay"])
            request.resultType = .dictionaries
            request.propertiesToFetch = ["title"]
            guard case .dictionaries(let dictionaries) = try context.execute(request) else {
                Issue.record("Dictionaries were asked for.")
                return
            }
            #expect(dictionaries == [["title": "Clay"]])
        }
    }

    @Test("an unknown template, or a variable without a value, is an error with a hint")
    func errors() throws {
        let unknown = try #require(throws: GraphError.self) { try model.fetchRequest(fromTemplate: "Populr") }
        #expect(unknown.code == .unknownName)
        #expect(unknown.hint == "Did you mean “Popular”?")
        let missing = try #require(throws: GraphError.self) {
            try model.fetchRequest(fromTemplate: "Popular", substituting: ["BY": "x", "LEST": 1])
        }
        #expect(missing.code == .invalidRequest)
        #expect(missing.message.contains("$LEAST"))
        #expect(missing.hint == "The request has “LEST”; did you mean “LEAST”?")
    }

    @Test("a template with an invalid predicate or entity is an error")
    func wrongTemplates() throws {
        var model = Model { Entity("Book") { Attribute("title", .string).optional() } }
        model.fetchRequestTemplates = [FetchRequestTemplate("Odd", entity: "Book", predicate: "titel == 'x'")]
        let prepared = try ManagedObjectModel(model)
        let request = try prepared.fetchRequest(fromTemplate: "Odd")
        let coordinator = PersistentStoreCoordinator(model: prepared)
        let error = #expect(throws: GraphError.self) { try coordinator.withContext { try $0.fetch(request).count } }
        #expect(error?.hint == "Did you mean “title”?")
        // A template that can't be parsed or has no entity is refused by the model.
        for template in [
            FetchRequestTemplate("Odd", entity: "Book", predicate: "title =="),
            FetchRequestTemplate("Odd", entity: "Boook"),
        ] {
            var wrong = model
            wrong.fetchRequestTemplates = [template]
            let made = Result { try ManagedObjectModel(wrong) }
            #expect(throws: ModelProblems.self) { try made.get() }
        }
    }
}
