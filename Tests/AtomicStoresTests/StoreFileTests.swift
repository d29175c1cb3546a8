// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import TestSupport
import Testing

@testable import AtomicStores

@Suite("Files of atomic stores")
struct StoreFileTests {
    let model: ManagedObjectModel

    init() throws {
        model = try Fixture.small.get()
    }

    @Test("the first save creates the file, and its metadata contain its type", arguments: FileFormat.allCases)
    func making(format: FileFormat) throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Notes"
            let store = try format.open(path, model)
            #expect(!FileManager.default.fileExists(atPath: path))
            try save("new", to: store)
            let again = try format.open(path, model, mustExist: true)
            #expect(again.metadata.values[StoreMetadata.typeKey] == (format == .xml ? "XML" : "Binary"))
            // Used numbers are not used again.
            let entity = try #require(model.entity(named: "Note"))
            #expect(again.permanentIDs(for: [entity])[0].reference == .integer(2))
        }
    }

    @Test("the XML is stable, and a changed value changes its own line and the object's version")
    func stability() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Notes.xml"
            let store = try AtomicStore(path: path, format: .xml, model: model)
            try run(store) { context in
                let parent = try note("parent", in: context)
                try parent.setValue(.date(Date(timeIntervalSinceReferenceDate: 0)), forKey: "made")
                try context.save()
                try note("child", in: context).setObject(parent, of: relationship("parent"))
                try context.save()
            }
            let before = try lines(path)
            let hash = try #require(model.model.versionHashes()["Note"]).base64
            #expect(
                before == [
                    #"<?xml version="1.0" encoding="UTF-8"?>"#,
                    #"<store format="1" identifier="\#(store.identifier.uuidString)" lastReference="2">"#,
                    #"    <entity name="Note" versionHash="\#(hash)"/>"#,
                    #"    <object entity="Note" id="1" version="1">"#,
                    #"        <attribute name="tree">"#,
                    #"            <string>parent</string>"#,
                    #"        </attribute>"#,
                    #"        <attribute name="made">2001-01-01T00:00:00Z</attribute>"#,
                    #"        <to-many name="children">2</to-many>"#,
                    #"    </object>"#,
                    #"    <object entity="Note" id="2" version="1">"#,
                    #"        <attribute name="tree">"#,
                    #"            <string>child</string>"#,
                    #"        </attribute>"#,
                    #"        <to-one name="parent">1</to-one>"#,
                    #"    </object>"#,
                    #"</store>"#,
                    "",
                ]
            )
            try run(AtomicStore(path: path, format: .xml, model: model)) { context in
                let parent = try #require(try context.fetch(FetchRequest<ManagedObject>("Note")).first)
                try parent.setValue(.date(Date(timeIntervalSinceReferenceDate: 0.5)), forKey: "made")
                try context.save()
            }
            let after = try lines(path)
            let changed = zip(before, after).filter { $0 != $1 }.map { $1.trimmingPrefix { $0 == " " } }
            #expect(before.count == after.count)
            #expect(
                changed == [
                    #"<object entity="Note" id="1" version="2">"#, #"<attribute name="made">0.5</attribute>"#,
                ]
            )
        }
    }

    @Test("opening a missing file that must exist fails", arguments: FileFormat.allCases)
    func missing(format: FileFormat) throws {
        try Checkout.withFolder { folder in
            for (isReadOnly, mustExist) in [(true, false), (false, true)] {
                let error = #expect(throws: StoreFileError.self) {
                    try format.open(folder + "/Notes", model, isReadOnly: isReadOnly, mustExist: mustExist)
                }
                #expect(error?.code == .missing)
                #expect(error?.path == folder + "/Notes")
            }
        }
    }

    @Test(
        "opening a file of another model fails, and the message names the entities that differ",
        arguments: FileFormat.allCases
    )
    func otherModel(format: FileFormat) throws {
        try Checkout.withFolder { folder in
            let path = try saved(format, in: folder)
            let error = #expect(throws: StoreFileError.self) { try format.open(path, Fixture.model.get()) }
            #expect(error?.code == .otherModel)
            #expect(error?.message.hasSuffix("it differs in Box, Gift, Item, Label, Note.") == true)
        }
    }

    @Test("opening a file of another format fails and leaves it unchanged", arguments: FileFormat.allCases)
    func otherType(format: FileFormat) throws {
        try Checkout.withFolder { folder in
            let path = try saved(format, in: folder)
            let bytes = try contents(path)
            let other = format == .xml ? FileFormat.binary : .xml
            let error = #expect(throws: StoreFileError.self) { try other.open(path, model) }
            #expect([.otherType, .damaged].contains(error?.code))
            #expect(error?.place != nil)
            #expect(try contents(path) == bytes)
        }
    }

    @Test(
        "a save that fails at any step leaves the old file and the old objects",
        arguments: FileFormat.allCases,
        FileReplacement.Step.allCases
    )
    func failingStep(format: FileFormat, step: FileReplacement.Step) throws {
        try Checkout.withFolder { folder in
            let path = try saved(format, in: folder)
            let bytes = try contents(path)
            let store = try failing(at: step, path, format)
            let error = #expect(throws: GraphError.self) { try save("new", to: store) }
            #expect((error?.underlying as? StoreFileError)?.code == .fileSystem)
            #expect(try contents(path) == bytes)
            #expect(try names(of: store, "TRUEPREDICATE", "self") == ["old"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["Notes"])
        }
    }

    @Test("a first save that fails at any step leaves no file", arguments: FileReplacement.Step.allCases)
    func failingFirst(step: FileReplacement.Step) throws {
        try Checkout.withFolder { folder in
            let store = try failing(at: step, folder + "/Notes", .xml)
            #expect(throws: GraphError.self) { try save("new", to: store) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        }
    }

    @Test(
        "a crash before any step of a save leaves a file that opens",
        arguments: FileFormat.allCases,
        FileReplacement.Step.allCases
    )
    func crash(format: FileFormat, step: FileReplacement.Step) throws {
        try Checkout.withFolder { folder in
            let (live, copy) = (folder + "/live", folder + "/copy")
            try FileManager.default.createDirectory(atPath: live, withIntermediateDirectories: false)
            let path = try saved(format, in: live)
            let replacement = FileReplacement { current throws(StoreFileError) in
                if current == step { try? FileManager.default.copyItem(atPath: live, toPath: copy) }
            }
            let file = try StoreFile(path: path, format: format.format, replacement: replacement)
            try save("new", to: AtomicStore(file: file, model: model, isReadOnly: false, mustExist: true))
            let left = try format.open(copy + "/Notes", model, mustExist: true)
            let expected = step == .syncFolder ? ["old", "new"] : ["old"]
            #expect(try names(of: left, "TRUEPREDICATE", "self") == expected)
            // The next save removes what the crash left behind.
            try save("newer", to: left)
            #expect(try FileManager.default.contentsOfDirectory(atPath: copy) == ["Notes"])
        }
    }

    @Test("a save into a missing folder fails, and the error names the cause")
    func noFolder() throws {
        let store = try AtomicStore(path: "/nowhere/Notes.xml", format: .xml, model: model)
        let error = #expect(throws: GraphError.self) { try save("new", to: store) }
        #expect(
            "\(try #require(error?.underlying))"
                == "/nowhere/Notes.xml: The file can't be written: its folder doesn't exist."
        )
    }

    @Test("a path with a NUL character is refused instead of being cut off")
    func nul() throws {
        let error = #expect(throws: StoreFileError.self) {
            try AtomicStore(path: "/tmp/Notes\u{0}.xml", format: .xml, model: model)
        }
        #expect(error?.code == .fileSystem)
    }

    @Test("a save keeps a symbolic link and the file's permissions")
    func links() throws {
        try Checkout.withFolder { folder in
            let path = try saved(.xml, in: folder)
            let manager = FileManager.default
            try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            try manager.createSymbolicLink(atPath: folder + "/Link", withDestinationPath: "Notes")
            try save("new", to: AtomicStore(path: folder + "/Link", format: .xml, model: model))
            #expect(try manager.destinationOfSymbolicLink(atPath: folder + "/Link") == "Notes")
            #expect(try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
            let store = try AtomicStore(path: path, format: .xml, model: model)
            #expect(try names(of: store, "TRUEPREDICATE", "self") == ["old", "new"])
        }
    }
}

extension StoreFileTests {
    private func saved(_ format: FileFormat, in folder: String) throws -> String {
        let path = folder + "/Notes"
        try save("old", to: format.open(path, model))
        return path
    }

    private func failing(at step: FileReplacement.Step, _ path: String, _ format: FileFormat) throws -> AtomicStore {
        let replacement = FileReplacement { current throws(StoreFileError) in
            if current == step { throw .fileSystem("written", "the test says so") }
        }
        let file = try StoreFile(path: path, format: format.format, replacement: replacement)
        return try AtomicStore(file: file, model: model, isReadOnly: false, mustExist: false)
    }

    private func save(_ name: String, to store: AtomicStore) throws {
        try run(store) { context in
            _ = try note(name, in: context)
            try context.save()
        }
    }

    private func run<Result: Sendable>(
        _ store: AtomicStore,
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
        return try coordinator.withContext(body)
    }

    private func note(_ name: String, in context: ManagedObjectContext) throws -> ManagedObject {
        let note = try context.insert("Note")
        try note.setValue(.string(name), forKey: "tree")
        return note
    }

    private func relationship(_ name: String) throws -> RelationshipDescription {
        try #require(model.entity(named: "Note")?.relationship(named: name))
    }

    /// The names of the notes that a key path refers to, from those that a predicate finds.
    private func names(of store: AtomicStore, _ predicate: String, _ path: String) throws -> [String] {
        let found = try ObjectPredicate(predicate)
        let names = ObjectExpression.keyPath(path + ".tree")
        return try run(store) { context in
            var request = FetchRequest<ManagedObject>("Note")
            request.predicate = found
            return try context.fetch(request).flatMap { note -> [String] in
                switch try names.evaluate(with: note) {
                case .value(.string(let name)): [name]
                case .collection(let members):
                    members.compactMap { if case .value(.string(let name)) = $0 { name } else { nil } }
                default: []
                }
            }
        }
    }

    private func contents(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    /// The lines of a file without its history, to which each save adds.
    private func lines(_ path: String) throws -> [String] {
        let text = String(decoding: try contents(path), as: UTF8.self)
        var isOfHistory = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
            if line == #"    <metadata key="OutcropHistory">"# { isOfHistory = true }
            defer { if line == "    </metadata>" { isOfHistory = false } }
            return isOfHistory ? nil : String(line)
        }
    }
}
