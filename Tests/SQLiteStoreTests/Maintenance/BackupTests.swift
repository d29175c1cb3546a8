// SPDX-License-Identifier: Apache-2.0

import Files
import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Copies of stores with large values")
struct BackupTests {
    /// Ways to copy a store: open, closed, or by making another one from its objects.
    enum Way: CaseIterable, Sendable {
        case open, closed, made

        func copy(_ gallery: Gallery, to path: String) throws {
            switch self {
            case .open: try gallery.store.backUp(to: path)
            case .closed: try SQLiteStore.backUp(gallery.store.path, to: path)
            case .made: try SQLiteStore.make(path: path, model: Gallery.model.get(), copying: gallery.store)
            }
        }
    }

    /// Larger than the default inline limit.
    private static let large = Value.bytes(7, 150_000)

    /// The names of a folder's content, without the gallery's own files and those that readers of a store leave.
    private static func others(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { name in !["My.Store", "-wal", "-shm"].contains { name.contains($0) } }.sorted()
    }

    private static func value(in path: String, of id: ManagedObjectID) throws -> Value? {
        var options = SQLiteStoreOptions()
        options.isReadOnly = true
        let store = try SQLiteStore(path: path, model: Gallery.model.get(), options: options)
        #expect(try store.check() == [])
        return try store.snapshots(of: [id], at: nil)[0].map { snapshot in
            snapshot.row.attributes[snapshot.objectID.entity.attribute(named: "photo")?.slot ?? 0]
        }
    }

    @Test("damage of a store is reported for the store, not for its copy")
    func damaged() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Store.sqlite"
            try Connection(path: path, access: .create).executeScript(
                "CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(20000))"
            )
            let bytes = try Data(contentsOf: URL(filePath: path))
            try bytes.prefix(8192).write(to: URL(filePath: path))
            let error = #expect(throws: StoreError.self) { try SQLiteStore.backUp(path, to: folder + "/Copy.sqlite") }
            #expect(error?.code == .damaged)
            #expect(error?.path == path)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["Store.sqlite"])
        }
    }

    @Test("a copy has exactly the files that its rows refer to", arguments: Way.allCases)
    func files(way: Way) throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let id = try gallery.insert(["photo": Self.large])
            let orphan = gallery.dataFolder + "/6AF6E2A5-1B5C-4C2B-9B0C-0D0F3C5E7A11"
            try Data([1]).write(to: URL(filePath: orphan))
            let copy = folder + "/Copy.sqlite"
            try way.copy(gallery, to: copy)
            #expect(try Self.others(in: folder) == [".Copy_SUPPORT", "Copy.sqlite"])
            let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/.Copy_SUPPORT/_EXTERNAL_DATA")
            #expect(names.count == 1)
            if way != .made { #expect(try names == gallery.named()) }
            #expect(try Self.value(in: copy, of: id) == Self.large)
            let error = #expect(throws: StoreError.self) { try way.copy(gallery, to: copy) }
            #expect(error?.code == .exists)
            try FileSystem.remove(copy)
            #expect(throws: StoreError.self) { try way.copy(gallery, to: copy) }
            #expect(try Self.others(in: folder) == [".Copy_SUPPORT"])
        }
    }

    @Test("a value without its file is missing in a copy too", arguments: [Way.open, .closed])
    func missing(way: Way) throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            try gallery.insert(["photo": Self.large])
            try FileSystem.remove(gallery.dataFolder + "/" + gallery.files[0])
            try way.copy(gallery, to: folder + "/Copy.sqlite")
            let copy = try SQLiteStore(path: folder + "/Copy.sqlite", model: Gallery.model.get())
            #expect(try copy.check().map(\.code) == [.fileMissing])
        }
    }

    /// Runs a closure before the first file of a copy is created.
    private final class Interruption: FileGuard {
        private let action: Mutex<(@Sendable () -> Void)?>

        init(_ action: @escaping @Sendable () -> Void) {
            self.action = Mutex(action)
        }

        var isDone: Bool { action.withLock { $0 == nil } }

        func check(_ operation: FileOperation, at path: String) {
            guard operation == .make, path.contains(".Copy_SUPPORT") else { return }
            action.withLock { action in
                defer { action = nil }
                return action
            }?()
        }
    }

    @Test(
        "files released during a copy are in the copy, and are removed afterwards",
        arguments: [Way.open, .closed]
    )
    func released(way: Way) throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let (first, second) = (
                try gallery.insert(["photo": Self.large]), try gallery.insert(["photo": .bytes(8, 20)])
            )
            let interruption = Interruption {
                #expect(throws: Never.self) {
                    try gallery.delete(first)
                    try gallery.update(second, ["photo": .bytes(9, 30)])
                    try gallery.store.removeOrphanedFiles()
                }
            }
            let copy = folder + "/Copy.sqlite"
            try FileSystem.$fileGuard.withValue(interruption) { try way.copy(gallery, to: copy) }
            #expect(interruption.isDone)
            #expect(try Self.value(in: copy, of: first) == Self.large)
            #expect(try Self.value(in: copy, of: second) == .bytes(8, 20))
            if way == .closed {
                // Files that another program protects are removed by the next opening.
                #expect(gallery.files.count == 3)
                let again = try Gallery(folder)
                try again.removeOrphanedFiles { again.files.count <= 1 }
            }
            #expect(try gallery.named() == gallery.files)
            #expect(gallery.files.count == 1)
        }
    }

    @Test("a copy leaves no files if any file operation fails", arguments: Way.allCases, [false, true])
    func faults(way: Way, lasts: Bool) throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let id = try gallery.insert(["photo": Self.large])
            let files = FailingFiles()
            for n in 1... {
                let copy = folder + "/Copy\(n).sqlite"
                files.fail(n, lasts: lasts)
                var isDone = false
                do {
                    try files.run { try way.copy(gallery, to: copy) }
                    isDone = true
                } catch {
                    let found = StoreError(in: error)
                    #expect(found?.path == copy || found?.path == gallery.store.path, "\(way) \(n): \(error)")
                }
                let hasFailed = files.mend() > 0
                let left = try Self.others(in: folder)
                // If a moved file can't be moved back, it is complete.
                if left.contains("Copy\(n).sqlite") {
                    #expect(isDone || lasts, "\(n)")
                    #expect(try Self.value(in: copy, of: id) == Self.large, "\(n)")
                } else if !lasts {
                    #expect(left == [], "\(n)")
                }
                for name in left { try Checkout.remove("\(folder)/\(name)") }
                guard hasFailed else { break }
            }
            #expect(try gallery.value("photo", of: id) == Self.large)
        }
    }

    @Test("a failed replacement keeps the store and its values, and a successful one replaces both")
    func replacing() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let new = try gallery.insert(["photo": Self.large])
            let target = folder + "/Target.sqlite"
            let files = FailingFiles()
            for n in 1... {
                let old: ManagedObjectID
                do {
                    try Checkout.remove(folder + "/other", ifThere: true)
                    try OpenFolder.make(folder + "/other")
                    let other = try Gallery(folder + "/other")
                    old = try other.insert(["photo": .bytes(3, 20)])
                    for name in try Self.others(in: folder) where name != "other" {
                        try Checkout.remove("\(folder)/\(name)")
                    }
                    try other.store.backUp(to: target)
                }
                files.fail(n)
                let replaced = ["", "-wal", "-shm", "-journal"].map { "Target.sqlite" + $0 } + [".Target_SUPPORT"]
                let isDone =
                    (try? files.run {
                        try NewStore.make(target, replacing: replaced) { try gallery.store.backUp(to: $0) }
                    }) != nil
                let hasFailed = files.mend() > 0
                #expect(isDone || hasFailed)
                #expect(try Self.others(in: folder) == [".Target_SUPPORT", "Target.sqlite", "other"], "\(n)")
                if isDone {
                    #expect(try Self.value(in: target, of: new) == Self.large, "\(n)")
                } else {
                    #expect(try Self.value(in: target, of: old) == .bytes(3, 20), "\(n)")
                }
                guard hasFailed else { break }
            }
        }
    }
}

extension Checkout {
    fileprivate static func remove(_ path: String, ifThere: Bool) throws {
        if FileSystem.exists(path) { try remove(path) }
    }
}
