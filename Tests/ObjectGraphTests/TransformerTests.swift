// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import TestSupport
import Testing

@Suite("Value transformers")
struct TransformerTests {
    /// Colours as a letter and three bytes.
    private struct ColorTransformer: AttributeTransformer {
        struct NoColor: Error {}

        func bytes(of value: Value) throws -> [UInt8] {
            guard case .dictionary(let parts) = value else { throw NoColor() }
            let numbers = try ["red", "green", "blue"].map { part in
                guard case .integer(let number)? = parts[part], let byte = UInt8(exactly: number) else {
                    throw NoColor()
                }
                return byte
            }
            return [UInt8(ascii: "c")] + numbers
        }

        func value(of bytes: [UInt8]) throws -> Value {
            guard bytes.count == 4, bytes[0] == UInt8(ascii: "c") else { throw NoColor() }
            let numbers = bytes.map { Value.integer(Int64($0)) }
            return .dictionary(["red": numbers[1], "green": numbers[2], "blue": numbers[3]])
        }
    }

    /// A colour as the type of a property.
    private struct Color: AttributeValue, Equatable {
        static let absent = Color(red: 0, green: 0, blue: 0)

        var red: Int64
        var green: Int64
        var blue: Int64

        var value: Value { .dictionary(["red": .integer(red), "green": .integer(green), "blue": .integer(blue)]) }

        init(red: Int64, green: Int64, blue: Int64) {
            self.red = red
            self.green = green
            self.blue = blue
        }

        init?(attributeValue: Value) {
            guard case .dictionary(let parts) = attributeValue, case .integer(let red)? = parts["red"],
                case .integer(let green)? = parts["green"], case .integer(let blue)? = parts["blue"]
            else { return nil }
            self.init(red: red, green: green, blue: blue)
        }
    }

    private final class Brush: ManagedObject {
        var color: Color? {
            get { self[attribute: "color"] }
            set { self[attribute: "color"] = newValue }
        }
    }

    private static let palette = Model {
        Composite("Pair") { Attribute("second", .transformable(transformer: "Colors")).optional() }
        Entity("Brush") {
            Attribute("width", .int64).default(1)
            Attribute("color", .transformable(transformer: "Colors")).optional()
            Attribute("pair", .composite("Pair")).optional()
        }
    }

    private static let red = Color(red: 255, green: 1, blue: 2)

    /// A coordinator over the same file, if it exists, with or without the transformer.
    private func open(_ folder: String, _ kind: String, knowsColors: Bool) throws -> PersistentStoreCoordinator {
        let transformers = knowsColors ? ["Colors": ColorTransformer()] : [:]
        let model = try ManagedObjectModel(Self.palette, transformers: transformers)
        let coordinator = PersistentStoreCoordinator(model: model, classes: [Brush.self])
        try coordinator.add(TestStore.open(folder + "/Store", model, kind: kind))
        return coordinator
    }

    @Test(
        "a registered transformer converts values to stored bytes and back",
        arguments: ["xml", "binary", "sqlite"]
    )
    func stored(kind: String) throws {
        try Checkout.withFolder { folder in
            let id = try open(folder, kind, knowsColors: true).withContext { context in
                let brush = try context.insert(Brush.self)
                brush.color = Self.red
                try brush.setValue(.dictionary(["second": Self.red.value]), forKey: "pair")
                try context.save()
                return brush.objectID.uri
            }
            let known = try open(folder, kind, knowsColors: true)
            try known.withContext { context in
                let brush = try context.existingObject(with: #require(known.objectID(forURI: id)), as: Brush.self)
                #expect(brush.color == Self.red)
                #expect(try brush.value(forKey: "pair") == .dictionary(["second": Self.red.value]))
                brush.color?.green = 77
                try context.save()
            }
            let unknown = try open(folder, kind, knowsColors: false)
            try unknown.withContext { context in
                let brush = try context.existingObject(with: #require(unknown.objectID(forURI: id)))
                #expect(try brush.value(forKey: "color") == .data(Data([UInt8(ascii: "c"), 255, 77, 2])))
                try brush.setValue(.data(Data([1, 2, 3])), forKey: "color")
                try context.save()
            }
            // Bytes that the transformer can't read stay unchanged, and don't prevent other saves.
            let again = try open(folder, kind, knowsColors: true)
            try again.withContext { context in
                let brush = try context.existingObject(with: #require(again.objectID(forURI: id)))
                #expect(try brush.value(forKey: "color") == .data(Data([1, 2, 3])))
                try brush.setValue(2, forKey: "width")
                try context.save()
            }
            let last = try open(folder, kind, knowsColors: true)
            try last.withContext { context in
                let brush = try context.existingObject(with: #require(last.objectID(forURI: id)))
                #expect(try brush.value(forKey: "color") == .data(Data([1, 2, 3])))
                #expect(try brush.value(forKey: "width") == 2)
            }
        }
    }

    @Test("a value that can't be transformed is invalid, in a save and in a batch", arguments: TestStore.kinds)
    func refused(kind: String?) throws {
        let model = try ManagedObjectModel(Self.palette, transformers: ["Colors": ColorTransformer()])
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(TestStore.make(model, kind: kind))
        try coordinator.withContext { context in
            let brush = try context.insert("Brush")
            try brush.setValue("red", forKey: "color")
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.failures.map(\.property) == ["color"])
            #expect(error?.message.contains("can't be transformed: NoColor()") == true)
            context.rollback()
        }
        let error = #expect(throws: GraphError.self) {
            try coordinator.execute(BatchInsertRequest("Brush", rows: [["color": "red"]]))
        }
        #expect(error?.code == .validation)
        try coordinator.execute(BatchInsertRequest("Brush", rows: [["color": Self.red.value]]))
        let colors = try coordinator.withContext { context in
            try context.fetch(FetchRequest<ManagedObject>("Brush")).map { try $0.value(forKey: "color") }
        }
        #expect(colors == [Self.red.value])
        // Predicates use the value, not its bytes.
        let request = FetchRequest<ManagedObject>("Brush", predicate: try ObjectPredicate("color.red == 255"))
        #expect(try coordinator.withContext { try $0.count(request) } == 1)
    }
}
