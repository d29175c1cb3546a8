// SPDX-License-Identifier: Apache-2.0

// Models at paths: bundles, versions, files, and other things at such paths.

import FoundationEssentials
import ObjectModel
import Testing

@Suite("Models at paths")
struct ModelFileTests {
    static func file(_ names: String..., current: Int = 0) -> ModelFile {
        ModelFile(
            versions: names.map { ModelVersion(name: $0, model: Model(entities: [Entity(name: "In" + $0)])) },
            currentIndex: current
        )
    }

    @Test("a bundle is read back with its versions in natural order and the current one")
    func bundle() throws {
        try withTemporaryDirectory { directory in
            let file = Self.file("M", "M 2", "M 10", current: 1)
            try file.write(path: directory + "/M.xcdatamodeld")
            #expect(try ModelFile.read(path: directory + "/M.xcdatamodeld/") == file)
            let note = try String(contentsOfFile: directory + "/M.xcdatamodeld/.xccurrentversion", encoding: .utf8)
            #expect(
                note == """
                    <?xml version="1.0" encoding="UTF-8"?>
                    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
                    "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                    <plist version="1.0">
                    <dict>
                    \t<key>_XCCurrentVersionName</key>
                    \t<string>M 2.xcdatamodel</string>
                    </dict>
                    </plist>

                    """
            )
        }
    }

    @Test("a bundle without a recorded current version uses the last one, with a warning")
    func withoutNote() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/M.xcdatamodeld"
            try Self.file("M 9", "M 10").write(path: path)
            try FileManager.default.removeItem(atPath: path + "/.xccurrentversion")
            let file = try ModelFile.read(path: path)
            #expect(file.current.name == "M 10")
            #expect(file.current.issues.map(\.code) == [.modelCurrent])
            try FileManager.default.removeItem(atPath: path + "/M 9.xcdatamodel")
            #expect(try ModelFile.read(path: path).current.issues == [])
        }
    }

    @Test("a recorded current version that doesn't exist is an error with a hint")
    func wrongNote() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/M.xcdatamodeld"
            try Self.file("Model 2").write(path: path)
            try FileManager.default.moveItem(
                atPath: path + "/Model 2.xcdatamodel",
                toPath: path + "/Model 3.xcdatamodel"
            )
            let error = #expect(throws: ModelError.self) { try ModelFile.read(path: path) }
            #expect(error?.code == .noVersion)
            #expect(error?.hint == "Did you mean “Model 3”?")
            try "junk".write(toFile: path + "/.xccurrentversion", atomically: false, encoding: .utf8)
            #expect(throws: ModelError.self) { try ModelFile.read(path: path) }
        }
    }

    @Test("an unreadable version is read as an empty one with an error")
    func unreadableVersions() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/M.xcdatamodeld"
            try Self.file("A", "B", "C", "D").write(path: path)
            try "<model>".write(toFile: path + "/B.xcdatamodel/contents", atomically: false, encoding: .utf8)
            try FileManager.default.moveItem(
                atPath: path + "/C.xcdatamodel/contents",
                toPath: path + "/C.xcdatamodel/elements"
            )
            try FileManager.default.removeItem(atPath: path + "/D.xcdatamodel/contents")
            let file = try ModelFile.read(path: path)
            #expect(file.versions.map(\.issues.count) == [0, 1, 1, 1])
            #expect(
                file.versions.dropFirst().map(\.issues[0].code) == [
                    .modelSyntax, .modelNotAModel, .modelNotAModel,
                ]
            )
            #expect(file.versions[2].issues[0].hint == "Open it in Xcode 4 or newer and save it.")
            #expect(throws: ModelError.self) { try ModelFile.read(path: path + "/C.xcdatamodel") }
        }
    }

    @Test("a single version, its contents and a JSON file are each read as a model")
    func alone() throws {
        try withTemporaryDirectory { directory in
            let file = Self.file("Blog")
            try file.write(path: directory + "/Blog.xcdatamodel")
            try file.write(path: directory + "/Blog.json")
            #expect(try ModelFile.read(path: directory + "/Blog.xcdatamodel") == file)
            #expect(try ModelFile.read(path: directory + "/Blog.xcdatamodel/contents") == file)
            #expect(try ModelFile.read(path: directory + "/Blog.json") == file)
            try FileManager.default.createSymbolicLink(
                atPath: directory + "/Link.json",
                withDestinationPath: directory + "/Blog.json"
            )
            #expect(try ModelFile.read(path: directory + "/Link.json").current.model == file.current.model)
        }
    }

    @Test("several versions in JSON keep their names")
    func versionsInJSON() throws {
        try withTemporaryDirectory { directory in
            let file = Self.file("A", "B", current: 0)
            try file.write(path: directory + "/M.json")
            #expect(try ModelFile.read(path: directory + "/M.json") == file)
        }
    }

    @Test("a path that isn't a model is refused with a hint")
    func refused() throws {
        try withTemporaryDirectory { directory in
            func error(_ name: String) -> ModelError? {
                #expect(throws: ModelError.self) { try ModelFile.read(path: directory + name) }
            }
            try FileManager.default.createDirectory(
                atPath: directory + "/Empty.xcdatamodeld",
                withIntermediateDirectories: false
            )
            #expect(error("/Empty.xcdatamodeld")?.code == .noVersion)
            #expect(error("/Empty")?.hint == "Did you mean “\(directory)/Empty.xcdatamodeld”?")
            #expect(error("/nothing")?.code == .notFound)
            #expect(error("")?.hint == "Give the model in it, such as “\(directory)/Empty.xcdatamodeld”.")
            try "hello".write(toFile: directory + "/hello.txt", atomically: false, encoding: .utf8)
            #expect(error("/hello.txt")?.code == .notAModel)
            try "hello".write(toFile: directory + "/hello.json", atomically: false, encoding: .utf8)
            #expect(error("/hello.json")?.code == .syntax)
            try "bplist00".write(toFile: directory + "/M.mom", atomically: false, encoding: .utf8)
            #expect(error("/M.mom")?.code == .syntax)
            #expect(throws: ModelError.self) { try ModelFile.read(path: "/dev/null") }
        }
    }

    @Test("writing replaces a model and refuses to overwrite anything else")
    func replacing() throws {
        try withTemporaryDirectory { directory in
            let bundle = directory + "/M.xcdatamodeld"
            try Self.file("Old", "Old 2").write(path: bundle)
            try Self.file("New").write(path: bundle)
            #expect(try ModelFile.read(path: bundle) == Self.file("New"))
            try "mine".write(toFile: bundle + "/notes.txt", atomically: false, encoding: .utf8)
            let json = directory + "/M.json"
            try "{}".write(toFile: json, atomically: false, encoding: .utf8)
            for path in [bundle, json] {
                let error = #expect(throws: ModelError.self) { try Self.file("Newer").write(path: path) }
                #expect(error?.code == .wouldOverwrite)
            }
            #expect(try String(contentsOfFile: json, encoding: .utf8) == "{}")
            #expect(try ModelFile.read(path: bundle) == Self.file("New"))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == ["M.json", "M.xcdatamodeld"]
            )
        }
    }

    @Test("foreign files in a bundle and its versions are kept when the model is replaced")
    func others() throws {
        try withTemporaryDirectory { directory in
            let bundle = directory + "/M.xcdatamodeld"
            try Self.file("A", "B").write(path: bundle)
            for folder in [bundle + "/.git", bundle + "/.git/hooks"] {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            }
            let kept = ["/.git/hooks/x", "/.note", "/A.xcdatamodel/.DS_Store", "/A.xcdatamodel/mine.txt"]
            for file in kept + ["/A.xcdatamodel/layout"] {
                try file.write(toFile: bundle + file, atomically: false, encoding: .utf8)
            }
            try FileManager.default.createSymbolicLink(atPath: bundle + "/.link", withDestinationPath: "nowhere")
            try Self.file("A", "C").write(path: bundle)
            #expect(try ModelFile.read(path: bundle) == Self.file("A", "C"))
            for file in kept { #expect(try String(contentsOfFile: bundle + file, encoding: .utf8) == file) }
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: bundle + "/.link") == "nowhere")
            #expect(!FileManager.default.fileExists(atPath: bundle + "/A.xcdatamodel/layout"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["M.xcdatamodeld"])
        }
    }

    @Test("a version folder with other files is not removed")
    func droppedVersion() throws {
        try withTemporaryDirectory { directory in
            let bundle = directory + "/M.xcdatamodeld"
            try Self.file("A", "B").write(path: bundle)
            try "mine".write(toFile: bundle + "/B.xcdatamodel/mine.txt", atomically: false, encoding: .utf8)
            let error = #expect(throws: ModelError.self) { try Self.file("A").write(path: bundle) }
            #expect(error?.code == .wouldOverwrite)
            #expect(try ModelFile.read(path: bundle) == Self.file("A", "B"))
        }
    }

    @Test("an unwritable model is refused with the reason, and leaves no file")
    func unwritable() throws {
        try withTemporaryDirectory { directory in
            for (file, name, code) in [
                (Self.file("A"), "/M.txt", ModelError.Code.unwritable),
                (Self.file("A", "B"), "/M.xcdatamodel", .unwritable),
                (Self.file("../A"), "/M.xcdatamodeld", .unwritable),
                (Self.file("A", "A"), "/M.xcdatamodeld", .unwritable),
                (Self.file("A"), "/no/such/M.json", .fileSystem),
            ] {
                let error = #expect(throws: ModelError.self) { try file.write(path: directory + name) }
                #expect(error?.code == code)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(names == [])
        }
    }
}
