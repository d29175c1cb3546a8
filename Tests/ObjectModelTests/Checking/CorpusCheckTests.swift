// SPDX-License-Identifier: Apache-2.0

// Checks of real models, which Xcode accepted, and the differences between their versions.

import ObjectModel
import TestSupport
import Testing

@Suite("Checks of real models", .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS names no folder"))
struct CorpusCheckTests {
    @Test("a real model has no errors", arguments: Turn.part(of: Corpus.contents))
    func check(path: String) throws {
        let model = try ModelVersion(contents: Corpus.bytes(of: path)).model
        let errors = model.issues().filter { $0.severity == .error }
        #expect(errors.map { "\(brief($0)): \($0.message)" } == [])
    }

    @Test(
        "real versions differ in storage exactly if their hashes differ",
        arguments: Turn.part(of: Corpus.versionedFiles)
    )
    func compare(path: String) throws {
        let models = try ModelFile.read(path: path).versions.map(\.model)
        for model in models { #expect(ModelDiff(from: model, to: model).isEmpty) }
        for (old, new) in zip(models, models.dropFirst()) {
            let diff = ModelDiff(from: old, to: new)
            #expect(diff.changesStorage == (old.versionHashes() != new.versionHashes()), "\(diff)")
            if diff.isEmpty { #expect(diff.obstacles.isEmpty && diff.consequences.isEmpty) }
        }
    }
}

extension Corpus {
    /// The `.xcdatamodeld` folders, each once.
    static let versionedFiles: [String] = Set(
        contents.map { $0.split(separator: "/").dropLast(2) }.filter { $0.last?.hasSuffix(".xcdatamodeld") == true }
    ).map { "/" + $0.joined(separator: "/") }.sorted()
}
