// SPDX-License-Identifier: Apache-2.0

// Reads the files of other people's models as XML, and writes them as they were.

import TestSupport
import Testing
import XML

@Suite("Real XML", .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS names no folder"))
struct CorpusTests {
    @Test("models are read, and written as they were", arguments: Turn.part(of: Corpus.contents))
    func models(path: String) throws {
        let bytes = try Corpus.bytes(of: path)
        let root = try XMLElement(parsing: bytes)
        #expect(root.name == "model")
        let written = try root.withoutLayout().serialized()
        #expect(try XMLElement(parsing: written).withoutLayout() == root.withoutLayout())
        // A few tools end the file with a line feed, which Xcode does not.
        #expect(written.utf8.elementsEqual(bytes) || (written + "\n").utf8.elementsEqual(bytes))
    }

    @Test(
        "notes of the current version are read, and written as they were",
        arguments: Turn.part(of: Corpus.currentVersions)
    )
    func currentVersions(path: String) throws {
        let bytes = try Corpus.bytes(of: path)
        var document = try XMLDocument(parsing: bytes)
        document.root = document.root.withoutLayout()
        #expect(try document.serialized(.propertyList) == String(decoding: bytes, as: UTF8.self))
    }
}
