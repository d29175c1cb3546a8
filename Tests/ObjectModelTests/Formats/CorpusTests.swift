// SPDX-License-Identifier: Apache-2.0

// Real models, where there are any at hand: OUTCROP_CORPUS names a folder with a folder `models` in it.

import FoundationEssentials
import ObjectModel
import Testing

/// The `contents` files in the corpus.
enum Corpus {
    static let path = ProcessInfo.processInfo.environment["OUTCROP_CORPUS"]

    static let contents: [String] = files(named: "contents")

    static func files(named name: String) -> [String] {
        guard let path else { return [] }
        let folder = path + "/models/"
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix("/" + name) }.sorted().map { folder + $0 }
    }

    static func bytes(of path: String) throws -> [UInt8] {
        Array(try #require(FileManager.default.contents(atPath: path)))
    }
}

@Suite("Real models", .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS names no folder"))
struct CorpusTests {
    @Test("are there")
    func thereAreSome() {
        #expect(Corpus.contents.count > 100)
    }

    @Test("are read without errors, and nothing in them is unknown", arguments: Corpus.contents)
    func readsWithoutErrors(path: String) throws {
        let version = try ModelVersion(contents: Corpus.bytes(of: path))
        #expect(version.issues.filter { $0.severity == .error || $0.code == "model.unknown" } == [])
    }

    @Test("are written as Xcode wrote them, but for a line end after the root", arguments: Corpus.contents)
    func writesTheSameBytes(path: String) throws {
        let bytes = try Corpus.bytes(of: path)
        let written = try ModelVersion(contents: bytes).model.contents()
        let endsWithNewline = bytes.last == UInt8(ascii: "\n")
        #expect(
            String(decoding: written + (endsWithNewline ? [0x0A] : []), as: UTF8.self)
                == String(decoding: bytes, as: UTF8.self)
        )
    }
}
