// SPDX-License-Identifier: Apache-2.0

// Transformable values: the content of their columns, by plain SQL, and the values read from arbitrary bytes.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import PropertyList
import SQLiteDriver
import SQLiteStore
import Testing

@Suite("Transformable values")
struct TransformedValueTests {
    /// A drawing with values of Core Data's transformers and of one of the application's.
    private struct Drawing {
        static let model = Result {
            try ManagedObjectModel(
                Model {
                    Entity("Drawing") {
                        Attribute("archived", .transformable(transformer: nil)).optional()
                        Attribute("named", .transformable(transformer: "NSSecureUnarchiveFromData")).optional()
                        Attribute("colors", .transformable(transformer: "ColorsTransformer")).optional()
                    }
                }
            )
        }

        let path: String
        let store: SQLiteStore
        let coordinator: PersistentStoreCoordinator
        let id: ManagedObjectID

        static func with(_ body: (Drawing) throws -> Void) throws {
            try StoreCopy.inFolder { folder in try body(Drawing(path: folder + "/Drawing.sqlite")) }
        }

        private init(path: String) throws {
            self.path = path
            let model = try Self.model.get()
            store = try SQLiteStore(path: path, model: model)
            coordinator = PersistentStoreCoordinator(model: model, rowCacheLimit: 0)
            try coordinator.add(store)
            id = try coordinator.withContext { context in
                let drawing = try context.insert("Drawing")
                try context.save()
                return drawing.objectID
            }
        }

        func set(_ values: [String: Value]) throws {
            try coordinator.withContext { context in
                let drawing = try context.existingObject(with: id)
                for (name, value) in values { try drawing.setValue(value, forKey: name) }
                try context.save()
            }
        }

        func value(_ name: String) throws -> Value {
            try coordinator.withContext { try $0.existingObject(with: id).value(forKey: name) }
        }

        func setColumn(_ name: String, _ bytes: [UInt8]) throws {
            try Connection(path: path).execute("UPDATE ZDRAWING SET \(identifier: name) = \(value: .blob(bytes))")
        }

        func column(_ name: String) throws -> [UInt8]? {
            try Connection(path: path).first("SELECT \(identifier: name) FROM ZDRAWING") { $0.bytes(0) }
        }
    }

    @Test("a value of a custom transformer is stored as its bytes")
    func custom() throws {
        try Drawing.with { drawing in
            let bytes: [UInt8] = [0, 1, 2, 255]
            try drawing.set(["colors": .data(Data(bytes))])
            #expect(try drawing.column("ZCOLORS") == bytes)
            #expect(try drawing.value("colors") == .data(Data(bytes)))
        }
    }

    @Test("a value is written back as it was read", arguments: ["archived", "named", "colors"])
    func rewriting(name: String) throws {
        try Drawing.with { drawing in
            var sound = KeyedArchiveBuilder()
            let list = sound.add(array: [sound.add("red"), sound.add(.real(0.5))])
            var data = KeyedArchiveBuilder()
            let bytes = data.add(.data([1, 2, 3]))
            var foreign = KeyedArchiveBuilder()
            let color = foreign.add(class: ["UIColor", "NSObject"], [("UIRed", .real(1))])
            var contents = [
                sound.archive(root: list).binary(), data.archive(root: bytes).binary(),
                foreign.archive(root: color).binary(), [4, 11] + Array("streamtyped".utf8) + [0x81, 0xE8],
            ]
            // Core Data's own transformers make only archives.
            if name == "colors" { contents += [[0, 1, 2], Array("bplist00".utf8), []] }
            for content in contents {
                let column = "Z" + name.uppercased()
                try drawing.setColumn(column, content)
                let value = try drawing.value(name)
                try drawing.set([name: .null])
                try drawing.set([name: value])
                #expect(try drawing.column(column) == content, "\(value)")
            }
        }
    }

    @Test(
        "values of Core Data's transformers are stored as archives, including bytes",
        arguments: ["archived", "named"]
    )
    func archives(name: String) throws {
        try Drawing.with { drawing in
            for value in [Value.data(Data([1, 2])), .array([1, "two"]), .dictionary(["a": .bool(true)])] {
                try drawing.set([name: value])
                let bytes = try #require(try drawing.column("Z" + name.uppercased()))
                #expect(throws: Never.self) { try KeyedArchive(parsing: bytes) }
                #expect(try drawing.value(name) == value)
            }
        }
    }

    @Test("an archive that expands excessively is read as bytes", arguments: Swollen.allCases)
    func swollen(kind: Swollen) throws {
        try Drawing.with { drawing in
            for column in ["ZARCHIVED", "ZCOLORS"] { try drawing.setColumn(column, kind.bytes) }
            #expect(try drawing.value("archived") == .data(Data(kind.bytes)))
            #expect(try drawing.value("colors") == .data(Data(kind.bytes)))
        }
    }

    enum Swollen: CaseIterable {
        case circle, dictionaryCircle, tower, bomb, copies

        var bytes: [UInt8] {
            var builder = KeyedArchiveBuilder()
            let root: PropertyListValue
            switch self {
            case .circle:
                root = builder.reserve()
                builder.fill(root, class: ["NSArray", "NSObject"], [("NS.objects", .array([root]))])
            case .dictionaryCircle:
                root = builder.reserve()
                let key = builder.add("self")
                let members: [(String, PropertyListValue)] = [
                    ("NS.keys", .array([key])), ("NS.objects", .array([root])),
                ]
                builder.fill(root, class: ["NSDictionary", "NSObject"], members)
            case .tower: root = (0..<100).reduce(builder.add("top")) { place, _ in builder.add(array: [place]) }
            case .bomb:
                root = (0..<30).reduce(builder.add("bang")) { place, _ in
                    builder.add(array: Array(repeating: place, count: 10))
                }
            case .copies:
                let data = builder.add(.data(Array(repeating: 7, count: 65536)))
                root = builder.add(array: Array(repeating: data, count: 4096))
            }
            return builder.archive(root: root).binary()
        }
    }

    @Test("large and reasonably deep archives are read completely")
    func large() throws {
        try Drawing.with { drawing in
            let many = Value.array((0..<150_000).map { .integer($0) })
            let deep = (0..<60).reduce(Value.string("top")) { value, _ in .array([value]) }
            let wide = Value.data(Data(repeating: 7, count: 4 << 20))
            for value in [many, deep, wide] {
                try drawing.set(["archived": value])
                #expect(try drawing.value("archived") == value)
            }
        }
    }
}
