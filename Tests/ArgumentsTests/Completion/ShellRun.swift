// SPDX-License-Identifier: Apache-2.0
// Runs a shell over the sample's completion script, in a folder with files to complete.

import Arguments
import Foundation
import Testing

struct ShellRun {
    let folder: URL

    static func isInstalled(_ shell: Shell) -> Bool {
        ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(shell)")
        }
    }

    /// Calls `body` with a folder that holds the script and some files, and removes it afterwards.
    static func inFolder<Result>(of shell: Shell, _ body: (ShellRun) throws -> Result) throws -> Result {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "completion-\(UUID().uuidString)")
        let inside = folder.appending(path: "files")
        try files.createDirectory(at: inside.appending(path: "sub/deep"), withIntermediateDirectories: true)
        try files.createDirectory(at: inside.appending(path: "Shop.xcdatamodeld"), withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }
        for name in ["a.json", "b.xml", "my file.json", "cost$1.json", "sub/c.json"] {
            try Data().write(to: inside.appending(path: name))
        }
        try Data(Sample.root.completionScript(for: shell).utf8).write(to: folder.appending(path: "_tool"))
        let result = try body(ShellRun(folder: folder))
        #expect(!files.fileExists(atPath: inside.appending(path: "pwned").path), "text was run as a command")
        return result
    }

    /// Returns the command's output. Any error output fails the test.
    func run(_ command: [String], input: String = "") throws -> String {
        let inputFile = folder.appending(path: "input")
        try Data(input.utf8).write(to: inputFile)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["LC_ALL=C.UTF-8", "TERM=dumb", "HOME=\(folder.path)"] + command
        process.currentDirectoryURL = folder.appending(path: "files")
        process.standardInput = try FileHandle(forReadingFrom: inputFile)
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let complaint = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(String(decoding: complaint, as: UTF8.self) == "")
        return String(decoding: text, as: UTF8.self)
    }

    /// Writes a file next to the script and returns its path.
    func file(_ name: String, _ text: String) throws -> String {
        let file = folder.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file.path
    }
}
