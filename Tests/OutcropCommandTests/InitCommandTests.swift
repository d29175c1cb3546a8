// SPDX-License-Identifier: Apache-2.0

// `outcrop init`

import Foundation
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("outcrop init")
struct InitCommandTests {
    private static let names = [
        "README.md", "App.json", "outcrop.json", "access.json", "compose.yaml", "outcrop.service", ".gitignore",
    ]

    @Test("init writes a folder whose model, settings and rules have no mistakes")
    func folder() throws {
        try Checkout.withFolder { parent in
            let folder = parent + "/my shop"
            let result = outcrop("init", folder, "--json")
            #expect(result.status == .fine, "\(result.output)")
            #expect(result.json?["files"]?.array?.compactMap(\.string) == Self.names)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == Self.names.sorted())
            #expect(outcrop("model", "check", "--strict", folder + "/App.json").status == .fine)
            let rules = outcrop("access", "check", folder + "/access.json", "--model", folder + "/App.json")
            #expect(rules.status == .fine, "\(rules.output)")
            // Large values lie beside the store, and so do the container's backups.
            let ignored = try String(contentsOfFile: folder + "/.gitignore", encoding: .utf8)
            #expect(ignored == "App.sqlite*\n.App_SUPPORT/\nbackups/\n")
            let readme = try String(contentsOfFile: folder + "/README.md", encoding: .utf8)
            #expect(readme.split(separator: "\n").count <= 10)
        }
    }

    @Test("the settings that init writes are found in the working directory, and a server starts with them")
    func serving() throws {
        let binary = try #require(ServerProcess.binary)
        try Checkout.withFolder { folder in
            #expect(outcrop("init", folder).status == .fine)
            let process = Process()
            process.executableURL = binary
            process.arguments = ["serve", "--check"]
            process.currentDirectoryURL = URL(filePath: folder)
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            #expect(text.hasPrefix("No problems: App.sqlite can be served."), "\(text)")
        }
    }

    @Test("the container that init describes uses the folder's own rules, and the variables are settings")
    func container() throws {
        let compose = try #require(StarterFolder(path: "/srv/app").files.first { $0.name == "compose.yaml" }).text
        let variables = compose.matches(of: /(?m)^      (OUTCROP_\w+):/).map { String($0.1) }
        #expect(variables.contains("OUTCROP_ACCESS"))
        #expect(Set(variables).isSubset(of: Setting.all.map(\.variable)))
        #expect(compose.contains("\n      OUTCROP_ACCESS: \"access.json\"\n"))
    }

    @Test("init never overwrites a file, and writes nothing if one exists")
    func existing() throws {
        try Checkout.withFolder { folder in
            try Files.write("mine", to: folder + "/access.json")
            let result = outcrop("init", folder)
            #expect(result.status == .problems)
            #expect(result.errors.contains("access.json exists already. Nothing was written."), "\(result.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["access.json"])
        }
    }

    @Test("the unit runs this program in the folder, whatever its name")
    func unit() throws {
        let unit = try #require(StarterFolder(path: "/srv/100% \"a\"/").files.first { $0.name == "outcrop.service" })
            .text
        #expect(unit.contains("\nWorkingDirectory=/srv/100%% \\\"a\\\"\n"))
        #expect(unit.contains("\nReadWritePaths=\"/srv/100%% \\\"a\\\"\"\n"))
        #expect(unit.contains("\nExecStart=\"/") && unit.contains("\" serve\n"))
    }
}
