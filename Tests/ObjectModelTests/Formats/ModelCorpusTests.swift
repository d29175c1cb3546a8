// SPDX-License-Identifier: Apache-2.0

// Real models, if available: OUTCROP_CORPUS names a folder that contains a folder `models`.

import FoundationEssentials
import ObjectModel
import TestSupport
import Testing

@Suite("Real models", .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS names no folder"))
struct ModelCorpusTests {
    @Test("the corpus has models")
    func thereAreSome() {
        #expect(Corpus.contents.count > 100)
        #expect(Corpus.bundles.count > 50)
    }

    @Test("a real model is read without errors and without unknown parts", arguments: Turn.part(of: Corpus.contents))
    func readsWithoutErrors(path: String) throws {
        let version = try ModelVersion(contents: Corpus.bytes(of: path))
        #expect(version.issues.filter { $0.severity == .error || $0.code == .modelUnknown } == [])
    }

    @Test(
        "a real model is written as Xcode wrote it, except for a final line break",
        arguments: Turn.part(of: Corpus.contents)
    )
    func writesTheSameBytes(path: String) throws {
        let text = String(decoding: try Corpus.bytes(of: path), as: UTF8.self)
        let model = try ModelVersion(contents: Array(text.utf8)).model
        let written = try model.contents()
        #expect(String(decoding: written, as: UTF8.self) == (text.last == "\n" ? String(text.dropLast()) : text))
        #expect(try ModelVersion(contents: written).model == model)
    }

    @Test("a real model is unchanged after conversion to JSON and back", arguments: Turn.part(of: Corpus.contents))
    func throughJSON(path: String) throws {
        let model = try ModelVersion(contents: Corpus.bytes(of: path)).model
        let read = try ModelFile(json: model.json()).current
        #expect(read.issues == [])
        #expect(read.model == model)
    }

    @Test("a real bundle is readable and keeps all its versions through JSON", arguments: Turn.part(of: Corpus.bundles))
    func bundle(path: String) throws {
        let file = try ModelFile.read(path: path)
        #expect(file.versions.flatMap(\.issues).filter { $0.severity == .error } == [])
        let read = try ModelFile(json: file.json(name: "another name"))
        #expect(read.versions.map(\.name) == file.versions.map(\.name))
        #expect(read.versions.map(\.model) == file.versions.map(\.model))
        #expect(read.currentIndex == file.currentIndex)
    }
}
