// SPDX-License-Identifier: Apache-2.0

import Files
import FoundationEssentials
import ObjectGraph
import Predicates
import TestSupport
import Testing

@testable import AtomicStores

@Suite("Lost and changed files of atomic stores")
struct LostAtomicFileTests {
    /// An open store of notes and the file that it has written.
    private struct World {
        let path: String
        let store: AtomicStore
        private let coordinator: PersistentStoreCoordinator

        init(_ format: FileFormat, in folder: String) throws {
            path = folder + "/Notes"
            let model = try Fixture.small.get()
            store = try format.open(path, model)
            coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(store)
            try insert("first")
        }

        func insert(_ name: String) throws {
            try coordinator.withContext { context in
                try context.insert("Note").setValue(.string(name), forKey: "tree")
                try context.save()
            }
        }

        var count: Int {
            get throws { try coordinator.withContext { try $0.count(FetchRequest<ManagedObject>("Note")) } }
        }

        /// Expects that a save fails for a reason, and that objects can still be read.
        func expectRefusal(_ reason: String) throws {
            let before = try count
            let error = #expect(throws: GraphError.self) { try insert("lost") }
            #expect(error?.code == .storeGone)
            let underlying = error?.underlying as? StoreFileError
            #expect(underlying?.code == .fileGone)
            #expect(underlying?.message == "Nothing can be saved: \(reason).")
            #expect(underlying?.path == path)
            #expect(throws: StoreFileError.self) { try store.checkPlace() }
            let after = try count
            #expect(after == before)
        }
    }

    @Test(
        "a store refuses to save after its file was deleted or moved, until it is back",
        arguments: FileFormat.allCases
    )
    func moved(format: FileFormat) throws {
        try Checkout.withFolder { folder in
            let world = try World(format, in: folder)
            try world.store.checkPlace()
            try FileSystem.rename(world.path, to: folder + "/Elsewhere")
            try world.expectRefusal("the file was deleted or moved since it was opened")
            #expect(!FileSystem.exists(world.path))
            try FileSystem.rename(folder + "/Elsewhere", to: world.path)
            try world.store.checkPlace()
            try world.insert("second")
            let count = try world.count
            #expect(count == 2)
        }
    }

    @Test("a store refuses to save over a file that replaced its own", arguments: FileFormat.allCases)
    func replaced(format: FileFormat) throws {
        try Checkout.withFolder { folder in
            let world = try World(format, in: folder)
            try FileSystem.copy(world.path, to: folder + "/Copy")
            try FileSystem.rename(folder + "/Copy", to: world.path)
            let bytes = try Data(contentsOf: URL(filePath: world.path))
            try world.expectRefusal("the file was replaced since it was opened")
            #expect(try Data(contentsOf: URL(filePath: world.path)) == bytes)
        }
    }

    @Test("a store refuses to save over what another store has saved to the same file", arguments: FileFormat.allCases)
    func savedByOthers(format: FileFormat) throws {
        try Checkout.withFolder { folder in
            let world = try World(format, in: folder)
            let other = try World(format, in: folder)
            try world.expectRefusal("the file was replaced since it was opened")
            try other.insert("third")
            let count = try World(format, in: folder).count
            #expect(count == 4)
        }
    }

    @Test("a store refuses to save over another program's change of its file", arguments: FileFormat.allCases)
    func changed(format: FileFormat) throws {
        try Checkout.withFolder { folder in
            let world = try World(format, in: folder)
            let line = Array("\n".utf8)
            try OpenFile(writing: world.path, existing: .append).append(line.span)
            try world.expectRefusal("another program has changed the file since it was read")
        }
    }

    @Test("a store refuses its first save if the file exists by then", arguments: FileFormat.allCases)
    func madeByOthers(format: FileFormat) throws {
        try Checkout.withFolder { folder in
            let model = try Fixture.small.get()
            let store = try format.open(folder + "/Notes", model)
            try store.checkPlace()
            _ = try OpenFile(writing: folder + "/Notes", existing: .fail)
            #expect(throws: StoreFileError.self) { try store.checkPlace() }
            let reader = try? format.open(folder + "/Notes", model, isReadOnly: true)
            #expect(reader == nil)
        }
    }
}
