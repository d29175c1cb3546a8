// SPDX-License-Identifier: Apache-2.0

// Reads the model files of other projects as XML, and writes them unchanged.

import TestSupport
import Testing
import XML

@Suite("Real XML files", .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS names no folder"))
struct XMLCorpusTests {
    @Test("model files of other projects are read and written unchanged", arguments: Turn.part(of: Corpus.contents))
    func models(path: String) throws {
        let bytes = try Corpus.bytes(of: path)
        let root = try XMLElement(parsing: bytes)
        #expect(root.name == "model")
        let written = try root.withoutLayout().serialized()
        #expect(try XMLElement(parsing: written).withoutLayout() == root.withoutLayout())
        // A few tools end the file with a line feed, unlike Xcode.
        #expect(written.utf8.elementsEqual(bytes) || (written + "\n").utf8.elementsEqual(bytes))
    }

    @Test(
        "files that name the current version are read and written unchanged",
        arguments: Turn.part(of: Corpus.currentVersions)
    )
    func currentVersions(path: String) throws {
        let bytes = try Corpus.bytes(of: path)
        var document = try XMLDocument(parsing: bytes)
        document.root = document.root.withoutLayout()
        #expect(try document.serialized(.propertyList) == String(decoding: bytes, as: UTF8.self))
    }
}
