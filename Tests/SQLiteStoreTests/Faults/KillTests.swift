// SPDX-License-Identifier: Apache-2.0

// A saving program is killed at random moments.

import Foundation
import Glibc
import LedgerProgram
import SQLiteStore
import TestSupport
import Testing

@Suite("A SQLite store after a kill of the program")
struct KillTests {
    /// The program, built beside the tests.
    static let binary = ProcessInfo.processInfo.arguments.lazy
        .filter { $0.hasSuffix(".xctest") }
        .map { URL(filePath: $0).deletingLastPathComponent().appending(path: "LedgerProgram") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }

    private static let rounds = ProcessInfo.processInfo.environment["OUTCROP_KILL_ROUNDS"].flatMap(Int.init) ?? 10

    @Test("after a kill, the store has each acknowledged save and no partial one")
    func kill() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var rounds = 0
        while rounds < Self.rounds {
            // Each folder is new, so that creating the store is interrupted, too.
            try Checkout.withFolder { folder in
                var saved: [Int: Int] = [:]
                for round in 0..<min(8, Self.rounds - rounds) {
                    try kill(after: .random(in: round == 0 ? 10...150 : 30...400, using: &random), folder, &saved)
                    rounds += 1
                }
            }
        }
    }

    private func kill(after milliseconds: Int, _ folder: String, _ saved: inout [Int: Int]) throws {
        let (path, writers) = (folder + "/Store.sqlite", 4)
        let process = Process()
        let binary = try #require(Self.binary, "The program was not built beside the tests.")
        process.executableURL = binary
        process.arguments = [path, "\(writers)"]
        let output = Pipe()
        process.standardOutput = output
        process.endsWithoutBacktrace()
        try process.run()
        usleep(UInt32(milliseconds) * 1000)
        #expect(Glibc.kill(process.processIdentifier, SIGKILL) == 0)
        let lines = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        for line in lines.split(separator: "\n") {
            let numbers = line.split(separator: " ").compactMap { Int($0) }
            #expect(numbers.count == 2, "\(line)")
            if numbers.count == 2 { saved[numbers[0]] = numbers[1] }
        }
        let ledger = try Ledger(path: path)
        try ledger.setUp(writers: writers)
        let acknowledged = Dictionary(uniqueKeysWithValues: (0..<writers).map { ($0, saved[$0] ?? 0) })
        #expect(try ledger.problems(acknowledged: acknowledged.mapValues { $0...($0 + 1) }) == [])
        #expect(try LedgerFile.problems(path) == [])
        let files = try ledger.fileProblems()
        #expect(files == [])
        for writer in 0..<writers { saved[writer] = try ledger.count(of: writer) }
    }
}
