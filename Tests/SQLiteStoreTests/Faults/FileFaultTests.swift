// SPDX-License-Identifier: Apache-2.0

// Each operation on the files of large values fails once or permanently.

import Files
import ObjectGraph
import Predicates
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Large values on a failing disk")
struct FileFaultTests {
    @Test(
        "an acknowledged save has its files, and a failed one leaves none that aren't removed",
        arguments: [false, true]
    )
    func saving(lasts: Bool) throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let files = FailingFiles()
            var expected: [ManagedObjectID: Value] = [:]
            for n in 1... {
                files.fail(n, lasts: lasts)
                do {
                    try files.run {
                        let value = Value.bytes(UInt8(truncatingIfNeeded: n), 20)
                        let ids = try (0..<2).map { _ in
                            let id = try gallery.insert(["photo": value])
                            expected[id] = value
                            return id
                        }
                        try gallery.update(ids[0], ["photo": .bytes(0, 30)])
                        expected[ids[0]] = .bytes(0, 30)
                        try gallery.delete(ids[1])
                        expected[ids[1]] = nil
                        let writer = try gallery.store.stageValue(for: gallery.attribute("photo"))
                        try writer.append([UInt8](repeating: 4, count: 50).span)
                        let staged = try writer.finish()
                        expected[try gallery.insert(["photo": staged.value])] = .bytes(4, 50)
                    }
                } catch {
                    #expect(StoreError(in: error)?.code == .full, "\(n): \(error)")
                }
                let hasFailed = files.mend() > 0
                #expect(Set(gallery.files).isSuperset(of: try gallery.named()), "\(n)")
                for (id, value) in expected { #expect(try gallery.value("photo", of: id) == value, "\(n)") }
                #expect(try gallery.named().count == expected.count, "\(n)")
                guard hasFailed else { break }
            }
            let again = try Gallery(folder)
            try again.removeOrphanedFiles { again.files.count <= expected.count }
            #expect(try again.named() == again.files)
        }
    }

    @Test("a value is read whole or not at all if reading its file fails")
    func reading() throws {
        try Checkout.withFolder { folder in
            let gallery = try Gallery(folder)
            let id = try gallery.insert(["photo": .bytes(1, 5000)])
            let photo = try gallery.attribute("photo")
            let files = FailingFiles()
            for n in 1... {
                files.fail(n)
                do {
                    try files.run {
                        let reader = try #require(try gallery.store.openValue(of: photo, object: id, at: nil))
                        #expect(try reader.read(0..<5000) == Array(repeating: 1, count: 5000))
                    }
                } catch {
                    #expect(StoreError(in: error) != nil, "\(n): \(error)")
                }
                guard files.mend() > 0 else { break }
            }
        }
    }
}
