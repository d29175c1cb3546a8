// SPDX-License-Identifier: Apache-2.0

// Saves into a ledger from several threads until it is killed, and prints each save once it is acknowledged.

import Dispatch
import Glibc

@main
enum LedgerProgram {
    /// `ledger PATH WRITERS`: each line of the output is a writer and the number of its save.
    static func main() throws {
        let arguments = CommandLine.arguments
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

    /// Prints a line at once.
    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
