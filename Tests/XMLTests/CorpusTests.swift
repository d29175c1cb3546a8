// SPDX-License-Identifier: Apache-2.0
// Reads the data models of a local collection, when OUTCROP_CORPUS names one.

import FoundationEssentials
import Testing
import XML

@Suite struct CorpusTests {
    static let corpus = ProcessInfo.processInfo.environment["OUTCROP_CORPUS"]

    private func files(named name: String) throws -> [(path: String, bytes: [UInt8])] {
        let root = try #require(Self.corpus)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root)
        return try paths.filter { $0.hasSuffix("/" + name) }.map { path in
            (path, Array(try Data(contentsOf: URL(filePath: "\(root)/\(path)"))))
        }
    }

    @Test(
        "every model of the collection is read, and written as it was",
        .enabled(if: corpus != nil, "set OUTCROP_CORPUS to a folder of data models")
    )
    func models() throws {
        let files = try files(named: "contents")
        #expect(!files.isEmpty)
        for (path, bytes) in files {
            let root = try XMLElement(parsing: bytes)
            #expect(root.name == "model", "\(path)")
            let written = try root.withoutLayout().serialized()
            #expect(try XMLElement(parsing: written).withoutLayout() == root.withoutLayout(), "\(path)")
            // A few tools end the file with a line feed, which Xcode does not.
            let isEqual = written.utf8.elementsEqual(bytes) || (written + "\n").utf8.elementsEqual(bytes)
            #expect(isEqual, "\(path)")
        }
    }

    @Test(
        "every note of a current version in the collection is read, and written as it was",
        .enabled(if: corpus != nil, "set OUTCROP_CORPUS to a folder of data models")
    )
    func currentVersions() throws {
        let files = try files(named: ".xccurrentversion")
        #expect(!files.isEmpty)
        for (path, bytes) in files {
            var document = try XMLDocument(parsing: bytes)
            document.root = document.root.withoutLayout()
            #expect(try document.serialized(.propertyList) == String(decoding: bytes, as: UTF8.self), "\(path)")
        }
    }
}
