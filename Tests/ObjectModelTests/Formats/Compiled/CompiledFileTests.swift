// SPDX-License-Identifier: Apache-2.0

// Compiled models as files: a single `.mom`, and a `.momd` with several.

import FoundationEssentials
import ObjectModel
import PropertyList
import Testing

@Suite("Files of compiled models")
struct CompiledFileTests {
    private static let one = Model(entities: [Entity(name: "One")])
    private static let two = Model(entities: [Entity(name: "Two")])

    @Test("a single compiled file is read as a model")
    func alone() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/App.mom"
            try Data(Self.one.compiled()).write(to: URL(filePath: path))
            #expect(try ModelFile.read(path: path) == ModelFile(versions: [ModelVersion(name: "App", model: Self.one)]))
            let error = #expect(throws: ModelError.self) { try ModelFile.read(path: directory + "/App") }
            #expect(error?.hint == "Did you mean “\(path)”?")
        }
    }

    @Test("a folder of compiled files is read with its versions and the recorded current one")
    func together() throws {
        try withTemporaryDirectory { directory in
            let bundle = directory + "/App.momd"
            try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: false)
            for (name, model) in [("App", Self.one), ("App 2", Self.two)] {
                try Data(model.compiled()).write(to: URL(filePath: "\(bundle)/\(name).mom"))
            }
            let last = try ModelFile.read(path: bundle)
            #expect(last.versions.map(\.name) == ["App", "App 2"] && last.currentIndex == 1)
            let note: PropertyListValue = ["NSManagedObjectModel_CurrentVersionName": "App"]
            for bytes in [note.binary(), try note.xml()] {
                try Data(bytes).write(to: URL(filePath: bundle + "/VersionInfo.plist"))
                let file = try ModelFile.read(path: bundle)
                #expect(file.current == ModelVersion(name: "App", model: Self.one))
            }
            try Data("bplist".utf8).write(to: URL(filePath: bundle + "/App.mom"))
            #expect(try ModelFile.read(path: bundle).current.issues.map(\.code) == [.modelSyntax])
        }
    }
}
