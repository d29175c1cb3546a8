// SPDX-License-Identifier: Apache-2.0

// A program that saves into two stores is killed, at each point of a save and at random moments.

import Foundation
import Glibc
import LedgerProgram
import TestSupport
import Testing

@Suite("Two SQLite stores after a kill of the program")
struct PairKillTests {
    private static let rounds = ProcessInfo.processInfo.environment["OUTCROP_KILL_ROUNDS"].flatMap(Int.init) ?? 10

    @Test("both stores have the same saves after a kill at each point, whichever is opened first")
    func points() throws {
        try Checkout.withFolder { folder in
            var saved: [String: Int] = [:]
            // Eight points of each of the first saves.
            for point in 1...17 {
                let process = try start(folder, "a", writers: 1, point: point)
                let lines = try output(of: process)
                try check(folder, lines, &saved, alone: ["Left", "Right", nil][point % 3])
            }
        }
    }

    @Test("both stores have the same saves after random kills while another program writes them")
    func random() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var round = 0
        while round < Self.rounds {
            try Checkout.withFolder { folder in
                var saved: [String: Int] = [:]
                for _ in 0..<min(8, Self.rounds - round) {
                    round += 1
                    let processes = try ["a", "b"].map { try start(folder, $0, writers: 2, point: 0) }
                    var lines: [String] = []
                    for process in processes {
                        usleep(UInt32.random(in: 30_000...250_000, using: &random))
                        #expect(kill(process.process.processIdentifier, SIGKILL) == 0)
                        lines += try output(of: process)
                    }
                    try check(
                        folder,
                        lines,
                        &saved,
                        alone: ["Left", "Right", nil].randomElement(using: &random) ?? nil
                    )
                }
            }
        }
    }

    private struct Running {
        let process: Process
        let output: Pipe
    }

    private func start(_ folder: String, _ name: String, writers: Int, point: Int) throws -> Running {
        let (process, output) = (Process(), Pipe())
        let binary = try #require(KillTests.binary, "The program was not built beside the tests.")
        process.executableURL = binary
        process.arguments = ["pair", folder, name, "\(writers)", "\(point)"]
        process.standardOutput = output
        process.endsWithoutBacktrace()
        try process.run()
        return Running(process: process, output: output)
    }

    private func output(of running: Running) throws -> [String] {
        let text = String(decoding: running.output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        running.process.waitUntilExit()
        #expect(running.process.terminationReason == .uncaughtSignal)
        return text.split(separator: "\n").map(String.init)
    }

    private func check(_ folder: String, _ lines: [String], _ saved: inout [String: Int], alone: String?) throws {
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            let number = words.count == 2 ? Int(words[1]) : nil
            #expect(number != nil, "\(line)")
            if let number { saved[words[0]] = number }
        }
        // A store opened alone finds the same state as both together.
        var found: [String: Int] = [:]
        if let alone {
            let ledger = try PairLedger(folder, [alone])
            for writer in saved.keys { found[writer] = try ledger.latest(of: writer, in: alone).number }
        }
        let ledger = try PairLedger(folder)
        for writer in ["a0", "a1", "b0", "b1"] {
            let states = try PairLedger.names.map { try ledger.latest(of: writer, in: $0) }
            #expect(states.flatMap(\.problems) == [])
            #expect(states[0].number == states[1].number, "\(writer)")
            let acknowledged = saved[writer] ?? 0
            #expect((acknowledged...acknowledged + 1).contains(states[0].number), "\(writer)")
            if let found = found[writer] { #expect(found == states[0].number) }
            saved[writer] = states[0].number
        }
        for name in PairLedger.names { #expect(try LedgerFile.problems("\(folder)/\(name).sqlite") == []) }
    }
}
