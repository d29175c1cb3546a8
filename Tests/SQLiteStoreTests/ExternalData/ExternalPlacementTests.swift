// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Files of a save with an uncertain commit")
struct ExternalPlacementTests {
    @Test(
        "files stay if a failed commit may have been written, and are removed otherwise",
        arguments: [(true, .database, 1), (true, .full, 0), (false, .database, 0)] as [(Bool, StoreError.Code, Int)]
    )
    func doubt(isWritten: Bool, code: StoreError.Code, left: Int) throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let entity = try #require(Gallery.model.get().entity(named: "Picture"))
            var request = StoreSaveRequest()
            var values = entity.attributes.map { _ in Value.null }
            values[try gallery.attribute("photo").slot] = .bytes(1, 20)
            let id = try gallery.store.permanentIDs(for: [entity])[0]
            request.insertions = [.init(objectID: id, row: Row(attributes: values, toOnes: []))]
            let placement = ExternalPlacement(try #require(gallery.store.tables.files))
            _ = try placement.place(request.externalValues(gallery.store.tables))
            #expect(gallery.files.count == 1)
            #expect(throws: StoreError.self) {
                try placement.finish {
                    placement.willWrite()
                    if isWritten { placement.willCommit() }
                    throw StoreError(code, "It failed.")
                }
            }
            #expect(gallery.files.count == left)
            // The remaining files are removed once it is certain that no row refers to them.
            let again = try Gallery(folder)
            try again.removeOrphanedFiles { again.files.isEmpty }
            #expect(again.files == [])
        }
    }
}
