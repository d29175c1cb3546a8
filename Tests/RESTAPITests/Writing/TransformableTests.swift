// SPDX-License-Identifier: Apache-2.0

// Transformable values that are sent back as shown, and values of other kinds.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@testable import RESTAPI

@Suite("Transformable values")
struct TransformableTests {
    private static let model = Model {
        Entity("Mood", userInfo: ["path": "moods"]) {
            Attribute("name", .string).optional()
            Attribute("colors", .transformable(transformer: "ColorsTransformer")).optional()
            Attribute("page", .transformable(transformer: "NSSecureUnarchiveFromData")).optional()
            Attribute("extra", .transformable(transformer: nil)).optional()
            Attribute("palette", .composite("Palette")).optional()
        }
        Composite("Palette") {
            Attribute("title", .string).optional()
            Attribute("colors", .transformable(transformer: "ColorsTransformer")).optional()
        }
    }

    private static let raw = Value.data(Data([0, 1, 2, 254, 255]))
    /// Begins like an archive, but can't be read.
    private static let foreign = Value.data(Data("bplist00 of the app's".utf8))
    private static let date = Value.date(Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_789))
    private static let values = Value.dictionary([
        "at": date, "price": .decimal(Decimal(string: "1.50") ?? 0), "id": .uuid(UUID()), "link": .uri("a:b"),
        "bytes": raw, "number": .double(3), "list": .array([date, "text", 1, .bool(true), .null]),
        "far": .date(Date(timeIntervalSinceReferenceDate: 1e15)),
    ])

    private func each(_ body: (APIWorld, ManagedObjectID) throws -> Void) throws {
        try APIWorld.each(Self.model) { coordinator in
            try coordinator.withContext { context in
                let mood = try context.insert("Mood")
                try mood.setValue("a", forKey: "name")
                try mood.setValue(Self.raw, forKey: "colors")
                try mood.setValue(Self.foreign, forKey: "page")
                try mood.setValue(Self.values, forKey: "extra")
                try mood.setValue(.dictionary(["title": "p", "colors": Self.raw]), forKey: "palette")
                try context.save()
            }
        } _: { world throws in
            let id = try world.coordinator.withContext { context in
                try #require(try context.objectIDs(FetchRequest<ManagedObject>("Mood")).first)
            }
            try body(world, id)
        }
    }

    private func value(_ name: String, _ id: ManagedObjectID, _ world: APIWorld) throws -> Value {
        try world.coordinator.withContext { try $0.existingObject(with: id).value(forKey: name) }
    }

    private func expectUntouched(_ id: ManagedObjectID, _ world: APIWorld) throws {
        #expect(try value("colors", id, world) == Self.raw)
        #expect(try value("page", id, world) == Self.foreign)
        #expect(try value("extra", id, world) == Self.values)
        #expect(try value("palette", id, world) == .dictionary(["title": "p", "colors": Self.raw]))
    }

    @Test("shown transformable values stay unchanged when sent back by PATCH, PUT or a transaction")
    func shown() throws {
        try each { world, id throws in
            let path = "/api/\(world.api.catalogue.reference(to: id))"
            let shown = try world.get(path)
            for method in [HTTPMethod.patch, .put] {
                let answer = try world.send(method, path, shown.text)
                #expect(answer.status == 200)
                #expect(answer["_version"] == 1)
            }
            for name in ["colors", "page", "extra", "palette"] {
                let json = try #require(shown[name]).serialized()
                #expect(try world.send(.patch, path, "{\"\(name)\":\(json)}")["_version"] == 1, "\(name)")
                let operation = "{\"update\":\"\(path.dropFirst(5))\",\"values\":{\"\(name)\":\(json)}}"
                let answer = try world.send(.post, "/api/transaction", "{\"operations\":[\(operation)]}")
                #expect(answer["items"]?[0]?["_version"] == 1, "\(name)")
            }
            try expectUntouched(id, world)
        }
    }

    @Test("a value of an app's own transformer accepts only base64 or null")
    func bytes() throws {
        try each { world, id throws in
            let path = "/api/\(world.api.catalogue.reference(to: id))"
            for (name, json) in [
                ("colors", "\"red\""), ("colors", "[1]"), ("colors", "{}"), ("colors", "5"), ("colors", "true"),
                ("page", "{\"a\":1}"), ("page", "\"no base64\""), ("palette", "{\"colors\":\"red\"}"),
            ] {
                for method in [HTTPMethod.patch, .put] {
                    let answer = try world.send(method, path, "{\"\(name)\":\(json)}")
                    #expect(answer.status == 422, "\(json)")
                    #expect(answer.codes == ["type"])
                    #expect(
                        answer.messages == [
                            "\(name) holds bytes that only the app can interpret, and takes bytes in base64, or null."
                        ]
                    )
                    #expect(answer["errors"]?[0]?["pointer"]?.string == "/\(name)")
                }
            }
            try expectUntouched(id, world)
            let body = "{\"colors\":\"AQI=\",\"page\":\"AwQ=\",\"palette\":{\"colors\":\"BQY=\"}}"
            #expect(try world.send(.patch, path, body).status == 200)
            #expect(try value("colors", id, world) == .data(Data([1, 2])))
            #expect(try value("page", id, world) == .data(Data([3, 4])))
            #expect(try value("palette", id, world) == .dictionary(["title": "p", "colors": .data(Data([5, 6]))]))
            // For a missing value, Core Data's own transformers accept anything, and an app's own one only bytes.
            #expect(try world.send(.patch, path, "{\"colors\":null,\"page\":null}").status == 200)
            #expect(try world.send(.patch, path, "{\"page\":{\"a\":1}}").status == 200)
            #expect(try value("page", id, world) == .dictionary(["a": 1]))
            #expect(try world.send(.patch, path, "{\"colors\":{\"a\":1}}").status == 422)
            #expect(try world.send(.post, "/api/moods", "{\"colors\":[1]}").status == 422)
            let made = try world.send(.post, "/api/moods", "{\"colors\":\"AP8=\"}")
            #expect(made.status == 201)
            #expect(made["colors"] == "AP8=")
        }
    }

    @Test("a value of an app's own transformer accepts only bytes in batches")
    func batches() throws {
        try each { world, id throws in
            let made = try world.send(.post, "/api/moods/batch-insert", "[{\"name\":\"b\",\"colors\":\"AP8=\"}]")
            #expect(made.status == 200)
            let all = try world.get("/api/moods?sort=name")["items"]?.array ?? []
            #expect(all.map { $0["colors"]?.string } == ["AAEC/v8=", "AP8="])
            #expect(try world.send(.post, "/api/moods/batch-insert", "[{\"colors\":\"red\"}]").status == 422)
            let update = "{\"where\":\"name == 'a'\",\"set\":{\"colors\":\"red\"}}"
            #expect(try world.send(.post, "/api/moods/batch-update", update).status == 422)
            try expectUntouched(id, world)
        }
    }

    @Test("each part of a transformable value keeps its kind when sent back or replaced")
    func parts() throws {
        try each { world, id throws in
            let path = "/api/\(world.api.catalogue.reference(to: id))"
            var extra = try #require(try world.get(path)["extra"]?.object)
            extra["more"] = "x"
            extra["bytes"] = "AQ=="
            extra["number"] = 4
            extra["at"] = "2026-11-21T09:30:00Z"
            extra["link"] = nil
            #expect(
                try world.send(.patch, path, JSONValue.object(["extra": .object(extra)]).serialized()).status == 200
            )
            guard case .dictionary(var expected) = Self.values else { return }
            expected["more"] = "x"
            expected["bytes"] = .data(Data([1]))
            expected["number"] = .double(4)
            expected["at"] = Date(rfc3339: "2026-11-21T09:30:00Z").map(Value.date)
            expected["link"] = nil
            #expect(try value("extra", id, world) == .dictionary(expected))
            #expect(try world.send(.patch, path, "{\"extra\":{\"at\":\"soon\"}}").status == 200)
            #expect(try value("extra", id, world) == .dictionary(["at": "soon"]))
        }
    }
}
