// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Validation")
struct ValidationTests {
    private let coordinator: PersistentStoreCoordinator

    init() throws {
        let early = Date(timeIntervalSinceReferenceDate: 0)
        let model = try ManagedObjectModel(
            Model {
                Composite("Place") {
                    Attribute("city", .string).length(1...5)
                    Attribute("floor", .int16).optional().in(0...9)
                }
                Entity("Trip") {
                    Attribute("place", .composite("Place")).optional()
                    Attribute("begin", .date).optional().in(early...early.addingTimeInterval(100))
                    Attribute("price", .decimal).optional().in(0...10)
                    Attribute("code", .string).optional().matching("[A-Z]{2}")
                    Attribute("note", .string).transient()
                    Relationship("guide", toOne: "Guide", inverse: "trips")
                    Relationship("stops", toMany: "Stop", inverse: "trip").count(2...3)
                }
                Entity("Guide") {
                    Relationship("trips", toMany: "Trip", inverse: "guide").optional().count(0...2)
                }
                Entity("Stop") {
                    Relationship("trip", toOne: "Trip", inverse: "stops").optional()
                }
            }
        )
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(TestStore.make(model))
    }

    /// The validation failures of a valid trip after a closure's changes.
    private func failures(_ change: @Sendable (ManagedObject) throws -> Void) throws -> [ValidationFailure] {
        try coordinator.withContext { context in
            let trip = try context.insert("Trip")
            try trip.setValue("kept", forKey: "note")
            try trip.relate("guide", try context.insert("Guide"))
            for _ in 0..<2 { try trip.relate("stops", try context.insert("Stop")) }
            try context.validate()
            try change(trip)
            do {
                try context.validate()
                return []
            } catch let error as GraphError {
                return error.failures
            }
        }
    }

    @Test(
        "each rule of an attribute has its own failure with the attribute's name",
        arguments: [
            ("place", Value.dictionary(["city": "", "floor": 3]), "place.city", ValidationFailure.Code.stringTooShort),
            ("place", .dictionary(["city": "Aarhus"]), "place.city", .stringTooLong),
            ("place", .dictionary(["city": "Rome", "floor": 10]), "place.floor", .numberTooLarge),
            ("begin", .date(Date(timeIntervalSinceReferenceDate: -1)), "begin", .dateTooSoon),
            ("begin", .date(Date(timeIntervalSinceReferenceDate: 101)), "begin", .dateTooLate),
            ("price", .decimal(-1), "price", .numberTooSmall),
            ("code", "ab", "code", .stringPatternMatching),
            ("note", .null, "note", .missingMandatoryProperty),
        ]
    )
    func attributes(key: String, value: Value, property: String, code: ValidationFailure.Code) throws {
        let failures = try failures { try $0.setValue(value, forKey: key) }
        #expect(failures.map(\.property) == [property])
        #expect(failures.map(\.code) == [code])
        #expect(failures[0].message.contains(property.split(separator: ".").last ?? ""))
        #expect(failures[0].entityName == "Trip")
    }

    @Test("values within the bounds, including the bounds and allowed nil, are valid")
    func bounds() throws {
        let failures = try failures { trip in
            try trip.setValue(.dictionary(["city": "Paris", "floor": 9]), forKey: "place")
            try trip.setValue(.date(Date(timeIntervalSinceReferenceDate: 100)), forKey: "begin")
            try trip.setValue(10, forKey: "price")
            try trip.setValue("AB", forKey: "code")
        }
        #expect(failures == [])
    }

    @Test("relationships are validated against their minimum and maximum counts")
    func relationships() throws {
        let tooFew = try failures { trip in try trip.unrelate("stops", try trip.related("stops")[0]) }
        #expect(tooFew.map(\.code) == [.relationshipLacksMinimumCount])
        let tooMany = try failures { trip in
            let context = try #require(trip.context)
            for _ in 0..<2 { try trip.relate("stops", try context.insert("Stop")) }
        }
        #expect(tooMany.map(\.code) == [.relationshipExceedsMaximumCount])
        let none = try failures { try $0.relate("guide", nil) }
        #expect(none.map(\.code) == [.missingMandatoryProperty])
        #expect(none.map(\.property) == ["guide"])
    }

    @Test("an added member is counted with the members that aren't loaded")
    func unloaded() throws {
        let guide = try coordinator.withContext { context in
            let guide = try context.insert("Guide")
            for _ in 0..<2 {
                let trip = try context.insert("Trip")
                try trip.setValue("", forKey: "note")
                try trip.relate("guide", guide)
                for _ in 0..<2 { try trip.relate("stops", try context.insert("Stop")) }
            }
            try context.save()
            return guide.objectID
        }
        try coordinator.withContext { context in
            let trip = try context.insert("Trip")
            try trip.setValue("", forKey: "note")
            for _ in 0..<2 { try trip.relate("stops", try context.insert("Stop")) }
            try trip.relate("guide", context.object(with: guide))
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.failures.map(\.code) == [.relationshipExceedsMaximumCount])
            #expect(error?.objectID == guide)
        }
    }
}
