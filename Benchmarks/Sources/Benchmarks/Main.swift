// SPDX-License-Identifier: Apache-2.0

// Runs the benchmarks; `--smoke` runs each for a moment only, to see that it works.

import Outcrop

@main
enum Main {
    static func main() throws {
        let rounds = CommandLine.arguments.contains("--smoke") ? 1 : 25
        // First, while there is no memory that others have given back.
        for footprint in try memoryBenchmarks(count: rounds > 1 ? 100_000 : 10_000) { print(footprint.row) }
        print(Measurement.header)
        let suites = [predicateBenchmarks, modelBenchmarks, graphBenchmarks]
        for suite in suites {
            for benchmark in try suite(rounds) { print(benchmark.row) }
        }
    }
}
