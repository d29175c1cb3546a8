// SPDX-License-Identifier: Apache-2.0

// The numbers in the names of tests are those of the rules in GeneratedFolder.swift.

import FoundationEssentials
import ObjectModel
import SwiftGeneration
import TestSupport
import Testing

@Suite("Folder of generated Swift")
struct GeneratedFolderTests {
    private static let generation = SwiftGeneration(
        Model {
            Entity("Post") { Attribute("title", .string) }
            Entity("Tag") { Attribute("name", .string) }
        },
        name: "Blog"
    )

    /// The same model without tags.
    private static let smaller = SwiftGeneration(
        Model { Entity("Post") { Attribute("title", .string) } },
        name: "Blog"
    )

    private static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    private static func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    private static func error(_ work: () throws -> Void) throws -> ModelError? {
        do {
            try work()
            return nil
        } catch let error as ModelError {
            return error
        }
    }

    @Test("a missing folder is created with all files")
    func fresh() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Model"
            let result = try GeneratedFolder(writing: Self.generation, to: path)
            #expect(result.created == ["Post.swift", "Tag.swift"] && result.written.count == 5 && result.kept.isEmpty)
            for file in Self.generation.files { #expect(try Self.text("\(path)/\(file.name)") == file.text) }
        }
    }

    @Test("rule 1: hand-owned files are kept, whatever they contain")
    func handOwned() throws {
        try Checkout.withFolder { folder in
            _ = try GeneratedFolder(writing: Self.generation, to: folder)
            try Self.write("mine", to: folder + "/Post.swift")
            try Self.write("", to: folder + "/Tag.swift")
            try Self.write("notes", to: folder + "/Notes+Generated.swift")
            let result = try GeneratedFolder(writing: Self.smaller, to: folder, removingStale: true)
            #expect(result.stale == ["Tag+Generated.swift", "TagDTO+Generated.swift"])
            #expect(result.written == ["BlogModel+Generated.swift"] && result.created.isEmpty)
            #expect(try Self.text(folder + "/Post.swift") == "mine" && Self.text(folder + "/Tag.swift") == "")
            #expect(try Self.text(folder + "/Notes+Generated.swift") == "notes")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            #expect(
                names == [
                    "BlogModel+Generated.swift", "Notes+Generated.swift", "Post+Generated.swift", "Post.swift",
                    "PostDTO+Generated.swift", "Tag.swift",
                ]
            )
        }
    }

    @Test("rule 1: stale files are only reported unless they are to be removed")
    func stale() throws {
        try Checkout.withFolder { folder in
            _ = try GeneratedFolder(writing: Self.generation, to: folder)
            let result = try GeneratedFolder(writing: Self.smaller, to: folder)
            #expect(result.stale.count == 2)
            #expect(FileManager.default.fileExists(atPath: folder + "/Tag+Generated.swift"))
        }
    }

    @Test(
        "rules 1 and 2: a file or folder without the mark stops the generation, and nothing is changed",
        arguments: ["file", "folder"]
    )
    func inTheWay(kind: String) throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Tag+Generated.swift"
            if kind == "file" {
                try Self.write("mine", to: path)
            } else {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
            let error = try Self.error { _ = try GeneratedFolder(writing: Self.generation, to: folder) }
            #expect(error?.code == .wouldOverwrite && error?.place.file == path)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["Tag+Generated.swift"])
        }
    }

    @Test("rule 3: a second generation writes nothing")
    func unchanged() throws {
        try Checkout.withFolder { folder in
            _ = try GeneratedFolder(writing: Self.generation, to: folder)
            let result = try GeneratedFolder(writing: Self.generation, to: folder)
            #expect(result.written.isEmpty && result.created.isEmpty && result.kept.count == 7)
        }
    }

    @Test("generated files that were edited or removed are written again")
    func repaired() throws {
        try Checkout.withFolder { folder in
            _ = try GeneratedFolder(writing: Self.generation, to: folder)
            try Self.write(GeneratedFile.mark + "\nchanged", to: folder + "/Tag+Generated.swift")
            try FileManager.default.removeItem(atPath: folder + "/Post+Generated.swift")
            let result = try GeneratedFolder(writing: Self.generation, to: folder)
            #expect(result.written == ["Post+Generated.swift", "Tag+Generated.swift"])
        }
    }
}
