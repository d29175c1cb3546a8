// SPDX-License-Identifier: Apache-2.0

// Measures the SQLite store, as a library, against a plain C program on the same files: `StoreBenchmarks [--smoke]
// [--large] [NAME]…` runs all workloads, or those whose names begin so. `StoreBenchmarks run WORKLOAD FILE NAME=VALUE…` does
// one, as a process of its own.

import Glibc

@main
enum Main {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            let line = "StoreBenchmarks: \(error)\n"
            _ = write(STDERR_FILENO, line, line.utf8.count)
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        if arguments.first == "run" {
            try Workload(Array(arguments.dropFirst())).run()
            return
        }
        let scale: Scale =
            arguments.contains("--smoke") ? .smoke : arguments.contains("--large") ? .large : .usual
        try Bench(scale: scale, chosen: arguments.filter { !$0.hasPrefix("--") }).run()
    }
}
