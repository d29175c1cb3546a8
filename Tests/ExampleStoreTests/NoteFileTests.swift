// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import NoteStore
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Files of the example store")
struct NoteFileTests {
    private let folder: Folder
    private let model: ManagedObjectModel

    init() throws {
        folder = try Folder()
        model = try ManagedObjectModel(
            Model {
                Entity("Entry", isAbstract: true) {
                    Attribute("title", .string).optional()
                    Attribute("pages", .int16).optional()
                    Attribute("more", .transformable(transformer: nil)).optional()
                    Relationship("tags", toMany: "Tag", inverse: "entries")
                    Relationship("box", toOne: "Box", inverse: "entries").optional()
                }
                Entity("Book", parent: "Entry") {}
                Entity("Page", parent: "Entry") {}
                Entity("Tag") { Relationship("entries", toMany: "Entry", inverse: "tags") }
                Entity("Box") { Relationship("entries", toMany: "Entry", inverse: "box").ordered() }
            }
        )
    }

    @Test("objects can be written as files by hand, and keep their file names in IDs")
    func byHand() throws {
        try folder.write(
            "Book/zebra.json",
            #"{"attributes": {"title": "Zebra"}, "relationships": {"box": ["Box/red"]}}"#
        )
        try folder.write("Book/zoo.json", #"{"attributes": {"title": "Zoo"}, "relationships": {"box": ["Box/red"]}}"#)
        try folder.write("Box/red.json", #"{"attributes": {}, "relationships": {"entries": ["Book/zoo"]}}"#)
        let coordinator = try open()
        let store = coordinator.stores[0].identifier.uuidString
        let uri = "x-coredata://\(store)/Entry/pzebra"
        try coordinator.withContext { context in
            let found = try #require(coordinator.objectID(forURI: uri))
            let book = try context.existingObject(with: found)
            #expect(book.objectID.uri == "x-coredata://\(store)/Book/pzebra")
            let box = try #require(
                try book.object(
                    of: book.entity.relationships[0].isToMany ? book.entity.toOnes[0] : book.entity.relationships[0]
                )
            )
            #expect(
                try box.objects(of: box.entity.toManys[0]).map { try $0.value(forKey: "title") } == ["Zoo", "Zebra"]
            )
            try book.setValue(3, forKey: "pages")
            try context.save()
        }
        let text = try folder.read("Book/zebra.json")
        #expect(text.contains(#""pages" : 3"#) && text.contains(#""version" : 2"#) && text.contains("Box/red"))
    }

    @Test(
        "a reference can't point outside the store's folder",
        arguments: ["", "../zebra", "a/b", ".", "ZEBRA", "é", "a.json"]
    )
    func references(text: String) throws {
        let store = try open().stores[0]
        #expect(store.reference(from: text) == nil)
        #expect(store.reference(from: "zebra-2") == .text("zebra-2"))
    }

    @Test("a file is read when a value that no context has read is needed")
    func reading() throws {
        try folder.write("Book/zebra.json", #"{"attributes": {"title": "Zebra"}}"#)
        try folder.write("Book/zoo.json", #"{"attributes": {"title": "Zoo"}}"#)
        let coordinator = try open()
        let request = FetchRequest<ManagedObject>("Entry")
        let zoo = try coordinator.withContext { context in
            let zoo = try #require(try context.fetch(request, titled: "Zoo").first)
            return zoo.objectID
        }
        try folder.write("Book/zebra.json", "damaged")
        try folder.write("Book/zoo.json", "damaged")
        try coordinator.withContext { context in
            let (count, title) = (
                try context.count(request), try context.existingObject(with: zoo).value(forKey: "title")
            )
            #expect(count == 2)
            #expect(title == "Zoo")
            let error = #expect(throws: GraphError.self) { _ = try context.fetch(request, titled: "Zebra") }
            #expect((error?.underlying as? NoteStoreError)?.path == folder.path + "/Book/zebra.json")
        }
    }

    @Test(
        "a file with invalid contents is refused, and the error names it",
        arguments: [
            ("Book/a.json", "damaged"), ("Book/a.json", "{}"), ("Book/a.json", #"{"attributes": {"size": 1}}"#),
            ("Book/a.json", #"{"attributes": {"pages": "three"}}"#),
            ("Book/a.json", #"{"attributes": {"pages": 40000}}"#),
            ("Book/a.json", #"{"attributes": {"more": {"$date": "today"}}}"#),
            ("Book/a.json", #"{"attributes": {"more": [{"$unknown": "1"}]}}"#),
            ("Book/a.json", #"{"attributes": {}, "relationships": {"box": ["Tag/a"]}}"#),
            ("Book/a.json", #"{"attributes": {}, "relationships": {"box": ["Box/../a"]}}"#),
            ("Book/a.json", #"{"attributes": {}, "relationships": {"box": ["Box/a", "Box/b"]}}"#),
            ("Book/a.json", #"{"attributes": {}, "relationships": {"shelf": []}}"#),
            ("Book/A.json", #"{"attributes": {}}"#), ("Page/twice.json", #"{"attributes": {}}"#), ("store.json", "{}"),
        ]
    )
    func damaged(file: String, text: String) throws {
        try folder.write("Book/twice.json", #"{"attributes": {}}"#)
        try folder.write(file, text)
        let error = try #require(throws: NoteStoreError.self) { try open() }
        #expect(error.code == .damaged)
        #expect(error.path == folder.path + "/" + file, "\(error)")
    }

    @Test("a save that ended before its commit leaves the old state")
    func uncommitted() throws {
        try folder.write("Book/a.json", #"{"attributes": {"title": "old"}}"#)
        try folder.write("Book/a.json.new", #"{"attributes": {"title": "new"}}"#)
        try folder.write("Book/b.json.new", #"{"attr"#)
        #expect(try titles(open()) == ["old"])
        #expect(try folder.files("Book") == ["a.json"])
    }

    @Test("a save that ended after its commit is completed when the store is opened", arguments: 0...2)
    func committed(done: Int) throws {
        try folder.write("Book/a.json", #"{"attributes": {"title": "\#(done > 0 ? "new" : "old")"}}"#)
        if done == 0 { try folder.write("Book/a.json.new", #"{"attributes": {"title": "new"}}"#) }
        if done < 2 { try folder.write("Book/b.json", #"{"attributes": {"title": "gone"}}"#) }
        try folder.write("Book/c.json.new", #"{"attributes": {"title": "newer"}}"#)
        try folder.write("commit.json", #"{"written": ["Book/a", "Book/c"], "deleted": ["Book/b"]}"#)
        try folder.write("store.json", #"{"identifier": "6D4F6C1E-31D4-4C7B-8A3C-0B7C3F4F0C11", "metadata": {}}"#)
        let error = try #require(throws: NoteStoreError.self) { try open(isReadOnly: true) }
        #expect(error.code == .unfinished)
        #expect(try titles(open()) == ["new", "newer"])
        #expect(try folder.files("Book") == ["a.json", "c.json"])
        #expect(try folder.files("").sorted() == ["Book", "store.json"])
        #expect(try titles(open(isReadOnly: true)) == ["new", "newer"])
    }

    @Test("a save that can't write one file leaves all files unchanged")
    func unwritable() throws {
        try folder.write("Book/a.json", #"{"attributes": {"title": "a"}}"#)
        try folder.write("Book/b.json", #"{"attributes": {"title": "b"}}"#)
        let coordinator = try open()
        // A folder is in the place of a new file.
        try folder.write("Book/b.json.new/x", "")
        try coordinator.withContext { context in
            for book in try context.fetch(FetchRequest<ManagedObject>("Book")) {
                try book.setValue("new", forKey: "title")
            }
            try context.insert("Book").setValue("c", forKey: "title")
            let error = try #require(throws: GraphError.self) { try context.save() }
            #expect((error.underlying as? NoteStoreError)?.code == .fileSystem)
            #expect(error.description.contains("b.json.new"))
        }
        #expect(try titles(coordinator) == ["a", "b"])
        #expect(try titles(open()) == ["a", "b"])
    }

    @Test("a value that couldn't be read again isn't saved")
    func depth() throws {
        let coordinator = try open()
        let value = (0..<300).reduce(Value.integer(1)) { value, _ in .array([value]) }
        try coordinator.withContext { context in
            try context.insert("Book").setValue(value, forKey: "more")
            let error = try #require(throws: GraphError.self) { try context.save() }
            #expect((error.underlying as? NoteStoreError)?.code == .unwritable)
        }
        #expect(try titles(open()) == [])
    }

    @Test("a read-only store needs existing files")
    func missing() throws {
        let error = try #require(throws: NoteStoreError.self) { try open(isReadOnly: true) }
        #expect(error.code == .missing)
        #expect(try folder.files("") == [])
    }

    private func open(isReadOnly: Bool = false) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(NoteStore(folder: folder.path, model: model, isReadOnly: isReadOnly))
        return coordinator
    }

    private func titles(_ coordinator: PersistentStoreCoordinator) throws -> [Value] {
        try coordinator.withContext { context in
            var request = FetchRequest<ManagedObject>("Entry")
            request.sortDescriptors = [ObjectSortDescriptor("title")]
            return try context.fetch(request).map { try $0.value(forKey: "title") }
        }
    }
}

extension ManagedObjectContext {
    fileprivate func fetch(_ request: FetchRequest<ManagedObject>, titled title: String) throws -> [ManagedObject] {
        var request = request
        request.predicate = .comparing(.keyPath("title"), .equal, .constant(.string(title)))
        return try fetch(request)
    }
}

/// A folder that is removed with the test.
private final class Folder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "notes-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ file: String, _ text: String) throws {
        let url = URL(filePath: path + "/" + file)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    func read(_ file: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path + "/" + file)), as: UTF8.self)
    }

    func files(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/" + folder).sorted()
    }
}
