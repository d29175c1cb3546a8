// SPDX-License-Identifier: Apache-2.0

// Runs the comparisons: each job as a process of its own, in turn, on files that are made for it.

import FoundationEssentials

struct Bench {
    let scale: Scale
    /// The beginnings of the names of those that are run; all if there are none.
    let chosen: [String]

    /// Where the programs are, and the files.
    private let folder = CommandLine.arguments[0].split(separator: "/", omittingEmptySubsequences: false).dropLast()
        .joined(separator: "/")
    private var worlds: String { "\(folder)/worlds" }

    init(scale: Scale, chosen: [String]) { (self.scale, self.chosen) = (scale, chosen) }

    func run() throws {
        defer { _ = try? shell("rm -rf '\(worlds)'") }
        _ = try shell("rm -rf '\(worlds)' && mkdir -p '\(worlds)'")
        print(Outcome.header)
        var made: Set<WorldSize> = []
        var outcomes: [Outcome] = []
        for comparison in scale.comparisons where isChosen(comparison) {
            for world in [comparison.ours.world, comparison.other.world] where made.insert(world).inserted {
                try make(world)
            }
            let outcome = try run(comparison)
            for row in outcome.rows { print(row) }
            outcomes.append(outcome)
        }
        let file = "\(folder)/benchmarks.json"
        try outcomes.json.write(toFile: file, atomically: true, encoding: .utf8)
        print("Written to \(file)")
    }

    private func isChosen(_ comparison: Comparison) -> Bool {
        chosen.isEmpty || chosen.contains { comparison.name.hasPrefix($0 + " ") }
    }

    private func run(_ comparison: Comparison) throws -> Outcome {
        var (ours, others): ([Figures], [Figures]) = ([], [])
        for _ in 0..<comparison.rounds {
            ours.append(try run(comparison.ours))
            others.append(try run(comparison.other))
        }
        return Outcome(comparison: comparison, ours: ours, others: others)
    }

    private func run(_ job: Job) throws -> Figures {
        var file = path(job.world)
        if job.writes {
            let copy = "\(worlds)/copy.sqlite"
            // All of it on disk before the first sync that is measured.
            _ = try shell("rm -f '\(copy)'* && cp '\(file)' '\(copy)' && sync '\(copy)'")
            file = copy
        }
        var arguments = job.arguments
        if arguments["durable"] == nil { arguments["durable"] = 1 }
        let words = job.world.arguments + arguments.map { "\($0)=\($1)" }.sorted()
        let preload = job.isDelayed ? "LD_PRELOAD='\(folder)/slowsync.so' " : ""
        return try Figures(
            parsing: shell(
                "\(preload)\(program(job.program)) \(job.workload) '\(file)' \(words.joined(separator: " "))"
            )
        )
    }

    private func program(_ program: Job.Program) -> String {
        switch program {
        case .ours: "'\(folder)/StoreBenchmarks' run"
        case .ceiling: "'\(folder)/ceiling'"
        }
    }

    private func path(_ world: WorldSize) -> String {
        "\(worlds)/\(world.name.filter { $0.isLetter || $0.isNumber }).sqlite"
    }

    /// Makes a file by the store, so that it has all the store's tables and indexes, and fills it.
    private func make(_ world: WorldSize) throws {
        let words = (["durable=1"] + world.arguments).joined(separator: " ")
        _ = try shell("\(program(.ours)) make '\(path(world))' \(words)")
        _ = try shell("\(program(.ceiling)) seed '\(path(world))' \(words)")
        _ = try shell("sync '\(path(world))'")
    }
}
