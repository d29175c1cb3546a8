// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Large values in application stores", .enabled(if: Corpus.path != nil))
struct ExternalDataCorpusTests {
    /// Stores that refer to a file that the corpus lacks.
    static let stores = ["2-21-2", "2-24-1", "2-42-0", "2-51-0", "2-60-0", "2-7"]

    @Test(
        "a store opens without its external files, reads inline values, and finds a restored file",
        arguments: stores
    )
    func missingFiles(name: String) throws {
        try Checkout.withFolder { folder in
            let original =
                "\(Corpus.path ?? "")/stores/wireapp+wire-ios-data-model/Tests/Resources/store\(name).wiredatabase"
            let path = folder + "/store\(name).wiredatabase"
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: original + suffix) {
                try FileManager.default.copyItem(atPath: original + suffix, toPath: path + suffix)
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path + suffix)
            }
            let store = try SQLiteStore(path: path)
            let user = try #require(store.model.entity(named: "User"))
            let (medium, small) = (
                try #require(user.attribute(named: "imageMediumData")),
                try #require(user.attribute(named: "imageSmallProfileData"))
            )
            let file = try #require(try store.externalFiles().first)
            #expect(file.size == nil)
            #expect(file.path == "\(folder)/.store\(name)_SUPPORT/_EXTERNAL_DATA/\(file.name)")
            let key = try store.database.read {
                try $0.first("SELECT Z_PK FROM ZUSER WHERE length(ZIMAGEMEDIUMDATA) = 38") { $0.int64(0) }
            }
            let id = ManagedObjectID(
                entity: user,
                store: store.identifier,
                reference: .integer(try #require(key))
            )
            let row = try #require(try store.snapshots(of: [id], at: nil)[0])
            #expect(row.row.attributes[medium.slot] == .null)
            #expect(throws: StoreError.self) { try store.openValue(of: medium, object: id, at: nil) }
            let inline = try #require(try store.openValue(of: small, object: id, at: nil))
            #expect(inline.size == 36_962)
            #expect(try inline.read(0..<2) == [0xFF, 0xD8])
            try FileManager.default.createDirectory(
                atPath: SQLiteStore.externalFolder(ofStoreAt: path),
                withIntermediateDirectories: true
            )
            try Data([1, 2, 3]).write(to: URL(filePath: file.path))
            #expect(try store.snapshots(of: [id], at: nil)[0]?.row.attributes[medium.slot] == .data(Data([1, 2, 3])))
            #expect(try store.removeOrphanedFiles() == 0)
        }
    }
}
