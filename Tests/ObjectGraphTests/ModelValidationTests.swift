// SPDX-License-Identifier: Apache-2.0

// The validating hooks. By default they check objects and values against the model.

import AtomicStores
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Validating hooks")
struct ModelValidationTests {
    /// An object with hooks that call super, or don't.
    fileprivate final class Trip: ManagedObject {
        enum Manner: String, CaseIterable, Sendable {
            case callsSuper, callsSuperLast, swallowsErrors, ignoresSuper
        }

        var manner = Manner.callsSuper
        var calls: [String] = []

        private func check(_ name: String, _ superCheck: () throws -> Void, _ own: () throws -> Void = {}) throws {
            calls.append(name)
            switch manner {
            case .callsSuper:
                try superCheck()
                try own()
            case .callsSuperLast:
                try own()
                try superCheck()
            case .swallowsErrors: try? superCheck()
            case .ignoresSuper: try own()
            }
        }

        override func validateForInsert() throws { try check("insert", super.validateForInsert, checkOrder) }
        override func validateForUpdate() throws { try check("update", super.validateForUpdate, checkOrder) }
        override func validateForDelete() throws { try check("delete", super.validateForDelete) }
        override func validate(_ value: inout Value, forKey key: String) throws {
            var checked = value
            try check(key, { try super.validate(&checked, forKey: key) }, { if checked == " " { checked = "AB" } })
            value = checked
        }

        private func checkOrder() throws {
            guard try value(forKey: "code") == "ZZ" else { return }
            throw ValidationFailure("There is no such code.", property: "code")
        }
    }

    private let coordinator: PersistentStoreCoordinator

    init() throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Trip") {
                    Attribute("code", .string).optional().matching("[A-Z]{2}")
                    Attribute("price", .decimal).default(0).in(0...10)
                    Attribute("stopCount", .int64).optional().derived("stops.@count")
                    Relationship("guide", toOne: "Guide", inverse: "trips")
                    Relationship("stops", toMany: "Stop", inverse: "trip", deleteRule: .deny).optional().count(0...1)
                }
                Entity("Guide") { Relationship("trips", toMany: "Trip", inverse: "guide").optional() }
                Entity("Stop") { Relationship("trip", toOne: "Trip", inverse: "stops").optional() }
            }
        )
        coordinator = PersistentStoreCoordinator(model: model, classes: [Trip.self])
        try coordinator.add(TestStore.make(model))
    }

    private func trip(_ context: ManagedObjectContext) throws -> Trip {
        let trip = try context.insert(Trip.self)
        try trip.setObject(try context.insert("Guide"), forKey: "guide")
        return trip
    }

    /// The errors that a closure throws, by code and property.
    private func thrown(_ body: () throws -> Void) -> [String] {
        func text(_ failure: ValidationFailure) -> String { "\(failure.code) \(failure.property ?? "")" }
        do {
            try body()
            return []
        } catch let failure as ValidationFailure {
            return [text(failure)]
        } catch let failures as ValidationFailures {
            return failures.failures.map(text)
        } catch let error as GraphError {
            return error.code == .validation ? error.failures.map(text) : [error.code.rawValue]
        } catch {
            return ["\(error)"]
        }
    }

    @Test("the hooks check the model's rules themselves, without a save")
    func hooks() throws {
        try coordinator.withContext { context in
            let trip = try trip(context)
            #expect(thrown(trip.validateForInsert) == [])
            try trip.setValue("ab", forKey: "code")
            #expect(thrown(trip.validateForInsert) == ["stringPatternMatching code"])
            try trip.setObject(nil, forKey: "guide")
            for hook in [trip.validateForInsert, trip.validateForUpdate] {
                #expect(thrown(hook) == ["stringPatternMatching code", "missingMandatoryProperty guide"])
            }
            #expect(thrown(trip.validateForDelete) == [])
            let stops = try (0..<2).map { _ in try context.insert("Stop") }
            try trip.add(stops[0], forKey: "stops")
            #expect(thrown(trip.validateForDelete) == ["relationshipDeniedDelete stops"])
            do {
                try trip.validateForDelete()
            } catch let failure as ValidationFailure {
                #expect(failure.objectID == trip.objectID && failure.entityName == "Trip")
            }
        }
    }

    @Test(
        "a value can be checked without setting it, in its attribute's type",
        arguments: [
            ("code", "AB", []), ("code", "ab", ["stringPatternMatching code"]), ("code", .null, []),
            ("price", 10, []), ("price", 11, ["numberTooLarge price"]),
            ("price", .null, ["missingMandatoryProperty price"]),
            ("price", "ten", ["wrongType"]), ("guide", .null, ["missingMandatoryProperty guide"]),
            ("guide", 1, ["wrongType"]), ("stops", .array([]), []), ("stops", .null, []), ("stopCount", .null, []),
            ("stops", .array([1, 2]), ["relationshipExceedsMaximumCount stops"]), ("name", "x", ["unknownName"]),
        ] as [(String, Value, [String])]
    )
    func values(key: String, value: Value, expected: [String]) throws {
        try coordinator.withContext { context in
            let trip = try trip(context)
            var checked = value
            #expect(thrown { try trip.validate(&checked, forKey: key) } == expected)
            if key == "price", expected.isEmpty { #expect(checked == .decimal(10)) }
            #expect(try trip.value(forKey: "code") == .null)
            #expect(try trip.value(forKey: "price") == .decimal(0))
        }
    }

    @Test(
        "a save runs each check once and enforces the model even if an override skips super",
        arguments: Trip.Manner.allCases
    )
    fileprivate func saves(manner: Trip.Manner) throws {
        try coordinator.withContext { context in
            let trip = try trip(context)
            trip.manner = manner
            try trip.setValue("ab", forKey: "code")
            try trip.setValue(11, forKey: "price")
            let wrong = ["stringPatternMatching code", "numberTooLarge price"]
            #expect(thrown(context.save) == wrong)
            #expect(trip.calls.sorted() == ["code", "insert", "price"])
            trip.calls = []
            try trip.setValue("ZZ", forKey: "code")
            try trip.setValue(1, forKey: "price")
            #expect(thrown(context.save) == (manner == .swallowsErrors ? [] : ["general code"]))
            try trip.setValue("AB", forKey: "code")
            try context.save()
            trip.calls = []
            try trip.setValue(11, forKey: "price")
            #expect(thrown(context.save) == ["numberTooLarge price"])
            #expect(trip.calls.sorted() == ["code", "price", "update"])
            trip.calls = []
            try trip.setValue(1, forKey: "price")
            try trip.add(try context.insert("Stop"), forKey: "stops")
            try context.save()
            trip.calls = []
            context.delete(trip)
            #expect(thrown(context.save) == ["relationshipDeniedDelete stops"])
            #expect(trip.calls == ["delete"])
        }
    }

    @Test("a value that an override replaces is checked and saved", arguments: [true, false])
    func replaced(superFirst: Bool) throws {
        try coordinator.withContext { context in
            let trip = try trip(context)
            trip.manner = superFirst ? .ignoresSuper : .callsSuperLast
            try trip.setValue(" ", forKey: "code")
            try context.save()
            #expect(try trip.value(forKey: "code") == "AB")
        }
    }

    @Test("an engine error in a hook is the save's error, not a validation failure")
    func engineErrors() throws {
        final class Faulty: ManagedObject {
            override func validateForInsert() throws { _ = try value(forKey: "typo") }
        }
        let model = try ManagedObjectModel(Model { Entity("Faulty") { Attribute("name", .string).optional() } })
        let coordinator = PersistentStoreCoordinator(model: model, classes: [Faulty.self])
        try coordinator.add(TestStore.make(model))
        let error = try failure {
            try coordinator.withContext { context in
                try context.insert("Faulty")
                try context.save()
            }
        }
        #expect(error.code == .unknownName)
    }
}
