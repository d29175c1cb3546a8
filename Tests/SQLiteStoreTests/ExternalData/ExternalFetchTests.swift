// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import SQLiteDriver
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Large values in fetches")
struct ExternalFetchTests {
    /// Three pictures in an album: with a photo in a file, with a small one, and with none.
    private static func withGallery(_ body: (Gallery) throws -> Void) throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let album = try gallery.insert(["name": .string("album")], as: "Album")
            try gallery.insert(batch: [
                ["name": .string("file"), "photo": .bytes(1, 20), "album": album.value],
                ["name": .string("row"), "photo": .bytes(2, 5), "album": album.value],
                ["name": .string("none"), "album": album.value],
            ])
            try body(gallery)
        }
    }

    @Test(
        "a condition compares the value, inline or in a file",
        arguments: [
            ("photo == $large", ["file"]), ("photo != $large", ["none", "row"]), ("photo == $small", ["row"]),
            ("photo == nil", ["none"]), ("photo != nil", ["file", "row"]),
            ("photo IN {$large, $small}", ["file", "row"]),
            ("photo < $small", ["file"]), ("$large == photo AND name BEGINSWITH 'f'", ["file"]),
            ("photo.length > 5", ["file"]), ("photo CONTAINS $small", ["row"]),
            ("ANY album.pictures.photo == $large", ["file", "none", "row"]),
        ]
    )
    func conditions(predicate: String, names: [String]) throws {
        try Self.withGallery { gallery in
            let predicate = try ObjectPredicate(predicate)
                .substituting(variables: ["large": .bytes(1, 20), "small": .bytes(2, 5)])
            let found = try gallery.coordinator.withContext { context in
                try context.fetch(FetchRequest<ManagedObject>("Picture", predicate: predicate))
                    .map { try $0.value(forKey: "name") }
            }
            #expect(Set(found) == Set(names.map(Value.string)))
        }
    }

    @Test("the read allowance counts stored row bytes, and the last row may have any length")
    func allowance() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let scan = Value.dictionary(["bytes": .bytes(2, 50_000), "label": .null])
            let files = try gallery.insert(
                batch: (0..<3).map { _ in ["photo": .bytes(1, 50_000), "scan": scan] }
            )
            let rows = try gallery.insert(batch: (0..<3).map { _ in ["thumbnail": .bytes(1, 50_000)] })
            func read(_ objects: some Sequence<ManagedObjectID>) throws {
                try WorkLimits(allowance: ReadAllowance(20_000)).hold {
                    _ = try gallery.store.snapshots(of: Array(objects), at: nil)
                }
            }
            try read(files)
            try read(rows.prefix(1))
            let error = #expect(throws: GraphError.self) { try read(rows) }
            #expect(error?.code == .tooMuchRead)
        }
    }

    @Test("a fetch sorts by the value, inline or in a file")
    func sorting() throws {
        try Self.withGallery { gallery in
            for (ascending, names) in [(true, ["none", "file", "row"]), (false, ["row", "file", "none"])] {
                let found = try gallery.coordinator.withContext { context in
                    var request = FetchRequest<ManagedObject>("Picture")
                    request.sortDescriptors = [ObjectSortDescriptor("photo", ascending: ascending)]
                    return try context.fetch(request).map { try $0.value(forKey: "name") }
                }
                #expect(found == names.map(Value.string))
            }
        }
    }

    /// The rows of a table.
    private static func table(
        _ gallery: Gallery,
        _ entity: String,
        _ paths: [String],
        isDistinct: Bool = false
    ) throws -> [[Value]] {
        let columns = try paths.map { ExpressionDescription($0, try ObjectExpression($0)) }
        let model = try Gallery.model.get()
        let request = StoreFetchRequest(
            entity: try #require(model.entity(named: entity)),
            kind: .table(TableRequest(columns: columns, isDistinct: isDistinct))
        )
        guard case .table(let table) = try gallery.store.fetch(request, at: nil) else { return [] }
        return table.rows
    }

    @Test("a table that only returns large values is read by SQL alone")
    func statements() throws {
        try Self.withGallery { gallery in
            let statements = try gallery.statements { _ = try Self.table(gallery, "Picture", ["name", "photo"]) }
            #expect(
                statements.filter { $0.hasPrefix("SELECT") } == [
                    "SELECT t0.ZNAME, t0.ZPHOTO FROM ZPICTURE AS t0 ORDER BY t0.Z_PK"
                ]
            )
        }
    }

    @Test("a table contains the value, inline or in a file", arguments: [false, true])
    func tables(isDistinct: Bool) throws {
        try Self.withGallery { gallery in
            let rows = try Self.table(gallery, "Picture", ["name", "photo"], isDistinct: isDistinct)
            let expected: [[Value]] = [
                [.string("file"), .bytes(1, 20)], [.string("row"), .bytes(2, 5)], [.string("none"), .null],
            ]
            #expect(Set(rows) == Set(expected))
            #expect(try Self.table(gallery, "Album", ["pictures.@count"]) == [[.integer(3)]])
            let picture = try #require(
                try gallery.coordinator.withContext { context in
                    try context.fetch(
                        FetchRequest<ManagedObject>("Picture", predicate: ObjectPredicate("name == 'file'"))
                    )
                    .first?.objectID
                }
            )
            try gallery.insert(batch: [["picture": picture.value]], as: "Print")
            #expect(try Self.table(gallery, "Print", ["picture.photo"]) == [[.bytes(1, 20)]])
        }
    }
}
