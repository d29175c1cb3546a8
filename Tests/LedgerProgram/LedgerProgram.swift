// SPDX-License-Identifier: Apache-2.0

// Saves into a ledger from several threads until it is killed, and prints each save once it is acknowledged.

import Dispatch
import Glibc

@main
enum LedgerProgram {
    /// `ledger PATH WRITERS`: each line of the output is a writer and the number of its save. `ledger pair FOLDER NAME
    /// WRITERS POINT` saves into two stores, with writers of that name, and is killed at a point unless it is 0.
    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count == 6, arguments[1] == "pair", let writers = Int(arguments[4]), let point = Int(arguments[5])
        {
            return try savePairs(arguments[2], arguments[3], writers, StoppingPoint(point))
        }
        guard arguments.count == 3, let writers = Int(arguments[2]) else { exit(2) }
        let ledger = try Ledger(path: arguments[1])
        try ledger.setUp(writers: writers)
        let group = DispatchGroup()
        for writer in 0..<writers {
            DispatchQueue(label: "writer \(writer)").async(group: group) {
                do {
                    while true { say("\(writer) \(try ledger.save(writer))") }
                } catch {
                    say("failed: \(error)")
                }
            }
        }
        group.wait()
    }

    private static func savePairs(_ folder: String, _ name: String, _ writers: Int, _ point: StoppingPoint) throws {
        let ledger = try PairLedger(folder) { StoppingStore($0, at: point) }
        let group = DispatchGroup()
        for writer in (0..<writers).map({ "\(name)\($0)" }) {
            DispatchQueue(label: writer).async(group: group) {
                do {
                    var number = try ledger.latest(of: writer, in: PairLedger.names[0]).number
                    while true {
                        number += 1
                        try ledger.save(writer, number)
                        say("\(writer) \(number)")
                    }
                } catch {
                    say("failed: \(error)")
                }
            }
        }
        group.wait()
    }

    /// Prints a line immediately.
    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
