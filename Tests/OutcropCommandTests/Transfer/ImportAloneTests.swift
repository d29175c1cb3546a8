// SPDX-License-Identifier: Apache-2.0

// Concurrent imports of one file.

import Files
import Foundation
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Concurrent imports of one file")
struct ImportAloneTests {
    private static let model = #"{"entities": {"Note": {"attributes": {"text": "String"}}}}"#

    private static func inFolder(_ body: (_ folder: String, _ arguments: [String]) throws -> Void) throws {
        try Checkout.withFolder { folder in
            try OutcropCommandTests.Files.write(model, to: folder + "/Model.json")
            try OutcropCommandTests.Files.write("{\"text\":\"a\"}\n{\"text\":5}\n", to: folder + "/a.ndjson")
            let target = [folder + "/s.sqlite", folder + "/a.ndjson"]
            try body(folder, ["import"] + target + ["--entity", "Note", "--model", folder + "/Model.json"])
        }
    }

    @Test("a second import of a file is refused while the first runs, but a dry run isn't")
    func taken() throws {
        try Self.inFolder { folder, arguments in
            let other = try OpenFile(reading: folder + "/a.ndjson")
            #expect(other.tryLockExclusively())
            let refused = Program.run(arguments, on: .plain)
            #expect(refused.status == .problems)
            #expect(refused.errors.contains("Another import of \(folder)/a.ndjson is running."), "\(refused)")
            #expect(refused.errors.contains("import a copy of the file"))
            let tried = Program.run(arguments + ["--dry-run"], on: .plain)
            #expect(tried.output.contains("1 bad line of 2 objects."), "\(tried)")
            try withExtendedLifetime(other) {
                try FileManager.default.copyItem(atPath: folder + "/a.ndjson", toPath: folder + "/copy.ndjson")
                let copy = arguments.map { $0.replacing("a.ndjson", with: "copy.ndjson") }
                #expect(Program.run(copy, on: .plain).output.contains("copy.ndjson:2: text: "))
            }
        }
    }

    @Test("an ended import doesn't block the next one, and a file may be named twice")
    func released() throws {
        try Self.inFolder { folder, arguments in
            for _ in 1...2 { #expect(Program.run(arguments, on: .plain).output.contains("a.ndjson:2: text: ")) }
            try OutcropCommandTests.Files.write("{\"text\":\"a\"}\n", to: folder + "/a.ndjson")
            let twice = Program.run(arguments + [folder + "/./a.ndjson"], on: .plain)
            #expect(twice.output.hasPrefix("Imported 2 objects"), "\(twice)")
        }
    }

    @Test("the lock of a killed import is released")
    func killed() throws {
        let binary = try #require(ServerProcess.binary)
        try Self.inFolder { folder, arguments in
            let lines = (1...200_000).map { "{\"text\":\"\($0)\"}\n" }.joined()
            try OutcropCommandTests.Files.write(lines, to: folder + "/a.ndjson")
            let process = try KilledProcess(binary.path, arguments + ["--chunk", "100"])
            let file = try OpenFile(reading: folder + "/a.ndjson")
            // The journal is opened after the file is locked; a lock held by this test would end the import.
            var isRunning = false
            for _ in 1...12_000 where !isRunning {
                usleep(5_000)
                let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                isRunning = names.contains { $0.contains("-import-") }
            }
            #expect(isRunning)
            #expect(!file.tryLockExclusively())
            try process.kill(after: 0)
            #expect(file.tryLockExclusively())
        }
    }
}
