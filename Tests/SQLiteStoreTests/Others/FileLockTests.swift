// SPDX-License-Identifier: Apache-2.0

import Files
import FoundationEssentials
import ObjectGraph
import SQLiteDriver
import TestSupport
import Testing

@testable import SQLiteStore

/// SQLite locks the file of an open store and the index of its log. Another program that finds the file unlocked takes
/// the store for closed, and truncates the index or removes the log while it is in use.
@Suite("Locks of an open store", .enabled(if: FileManager.default.fileExists(atPath: "/proc/locks")))
struct FileLockTests {
    /// The first bytes of the locks that last as long as a store is open: one in the index of its log, one in its file.
    private static let lastingPlaces = ["128", "1073741826"]

    /// The lasting locks of this program on files, each with the number of the file and the kind and position of the
    /// lock.
    private static func locks(on paths: [String]) throws -> Set<String> {
        let numbers = try paths.map { try #require(FileSystem.state(of: $0)).number }
        let text = String(decoding: try Data(contentsOf: URL(filePath: "/proc/locks")), as: UTF8.self)
        return Set(
            text.split(separator: "\n").map { $0.split(separator: " ") }.compactMap { words in
                // “1: POSIX ADVISORY READ 4711 fe:00:1234 128 128”, or with “->” for a waiting lock.
                guard words.count == 8, words[1] == "POSIX",
                    let number = words[5].split(separator: ":").last.flatMap({ UInt64($0) }), numbers.contains(number),
                    lastingPlaces.contains(String(words[6]))
                else { return nil }
                return "\(number) \(words[3]) \(words[6])"
            }
        )
    }

    private static func locks(of store: SQLiteStore) throws -> Set<String> {
        try locks(on: [store.path, store.path + "-shm"])
    }

    /// Operations next to or on an open store, which must not affect its locks.
    private enum Work: CaseIterable {
        case orphans, backUp, backUpClosed, check, summary, embeddedModel, secondStore, thirdForReading, neighbor,
            isUncreated
        case replacingCheck, values

        func run(_ gallery: Gallery) throws {
            let (store, path) = (gallery.store, gallery.store.path)
            switch self {
            case .orphans: try store.removeOrphanedFiles()
            case .backUp: try store.backUp(to: gallery.folder + "/Copy.sqlite")
            case .backUpClosed: try SQLiteStore.backUp(path, to: gallery.folder + "/Other.sqlite")
            case .check:
                #expect(try store.check().allSatisfy { $0.code == .fileOrphaned })
                #expect(try SQLiteStore.checkFile(path) == [])
            case .summary: _ = try StoreSummary(path: path)
            case .embeddedModel: _ = try SQLiteStore.embeddedModel(path: path)
            case .secondStore: _ = try SQLiteStore(path: path)
            case .thirdForReading:
                var options = SQLiteStoreOptions()
                options.isReadOnly = true
                _ = try SQLiteStore(path: path, options: options)
            case .neighbor: #expect(SQLiteStore.neighbors(ofStoreAt: gallery.folder + "/My.Store.db") == [path])
            case .isUncreated: #expect(try !SQLiteStore.isUncreated(path: path))
            case .replacingCheck:
                #expect(throws: StoreError.self) {
                    try SQLiteStore.checkPlace(ofNewStoreAt: gallery.folder + "/My.Store.db", isReplacing: true)
                }
            case .values:
                let id = try gallery.insert(["photo": .bytes(5, 100)])
                #expect(try gallery.value("photo", of: id) == .bytes(5, 100))
                #expect(try store.externalFiles().count == 2)
                try gallery.delete(id)
            }
        }
    }

    @Test("the locks remain through a restart with large values, backups and checks")
    func restart() throws {
        try Checkout.withFolder { folder in
            let stray: String
            do {
                let gallery = try Gallery(folder)
                try gallery.insert(["photo": .bytes(7, 100)])
                // An orphaned file, which the next opening removes.
                stray = gallery.dataFolder + "/0F0E0D0C-0B0A-0908-0706-050403020100"
                try Data([7]).write(to: URL(filePath: stray))
            }
            let gallery = try Gallery(folder)
            // The store's own check in the background may have been faster, or may still be running.
            try gallery.removeOrphanedFiles { !FileManager.default.fileExists(atPath: stray) }
            let before = try Self.locks(of: gallery.store)
            #expect(before.count == 2, "\(before)")
            #expect(!FileManager.default.fileExists(atPath: stray))
            for work in Work.allCases {
                try Data([7]).write(to: URL(filePath: stray))
                try work.run(gallery)
                #expect(try Self.locks(of: gallery.store) == before, "\(work)")
            }
        }
    }

    @Test("the locks remain when a store of the same name with another extension looks for neighbours")
    func neighbors() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            try gallery.insert(["photo": .bytes(7, 100)])
            let before = try Self.locks(of: gallery.store)
            let model = try Gallery.model.get()
            try FileManager.default.linkItem(atPath: gallery.store.path, toPath: folder + "/My.Store.copy")
            let other = try SQLiteStore(path: folder + "/My.Store.db", model: model)
            try other.removeOrphanedFiles()
            try gallery.store.removeOrphanedFiles()
            #expect(try Self.locks(of: gallery.store) == before)
            #expect(SQLiteStore.neighbors(ofStoreAt: gallery.store.path) == [folder + "/My.Store.db"])
        }
    }
}
