// SPDX-License-Identifier: Apache-2.0

// All comparisons.

extension Scale {
    var comparisons: [Comparison] { reading + saving + batches + objects + growth }

    private func compare(
        _ name: String,
        _ target: Comparison.Target,
        _ workload: String,
        against other: String? = nil,
        in world: WorldSize,
        writes: Bool = false,
        _ arguments: [String: Int] = [:]
    ) -> Comparison {
        Comparison(
            name: name,
            target: target,
            ours: Job(program: .ours, workload: workload, world: world, writes: writes, arguments: arguments),
            other: Job(
                program: .ceiling,
                workload: other ?? workload,
                world: world,
                writes: writes,
                arguments: arguments
            ),
            rounds: rounds
        )
    }

    private var reading: [Comparison] {
        [
            compare("P2 one post by its key, cold", .atLeast(1), "point", in: small, ["operations": count(50_000)]),
            compare("P3 first page of 50, by date", .atLeast(0.7), "page", in: small, ["operations": count(2_000)]),
            compare(
                "P4 the same with authors and tags",
                .atLeast(0.7),
                "include",
                in: small,
                ["operations": count(1_000)]
            ),
            compare("P5 first 20 over two hops", .atLeast(0.8), "hop", in: small, ["operations": count(500)]),
        ]
    }

    private var saving: [Comparison] {
        func saves(
            _ name: String,
            _ target: Comparison.Target,
            _ workload: String,
            durable: Bool = true
        ) -> Comparison {
            var comparison = compare(
                name,
                target,
                workload,
                in: small,
                writes: true,
                ["operations": count(20_000), "threads": 64, "durable": durable ? 1 : 0]
            )
            // Each waits for the disk alone.
            if durable { comparison.other.arguments["operations"] = count(4_000) }
            return comparison
        }
        func delayed(_ comparison: Comparison) -> Comparison {
            var slow = comparison
            slow.name += ", syncs of 2 ms"
            slow.target = .atLeast(15)
            slow.ours.isDelayed = true
            slow.other.isDelayed = true
            slow.other.arguments["operations"] = count(1_000)
            return slow
        }
        let insert = saves("P7 insert a post, 64 threads, FULL", .atLeast(3), "insert")
        let update = saves("P9 change a title, 64 threads, FULL", .atLeast(3), "update")
        return [
            insert, delayed(insert),
            saves("P8 insert a post, 64 threads, NORMAL", .atLeast(0.8), "insert", durable: false),
            update, delayed(update),
        ]
    }

    private var batches: [Comparison] {
        var insert = compare(
            "P10 batch insert of \(count(1_000_000)) posts",
            .atLeast(0.5),
            "batch-insert",
            in: small,
            writes: true,
            ["operations": count(1_000_000)]
        )
        insert.rounds = min(3, rounds)
        return [
            insert,
            compare(
                "P11 batch update of \(commented.posts)",
                .atLeast(0.8),
                "batch-update",
                in: commented,
                writes: true
            ),
            compare(
                "P11 batch delete of \(commented.comments)",
                .atLeast(0.8),
                "batch-delete",
                in: commented,
                writes: true
            ),
            compare("P12 delete 100 organizations, a context", .atLeast(0.5), "cascade", in: small, writes: true),
            compare(
                "P12 delete 100 organizations, a batch",
                .atLeast(0.5),
                "cascade-batch",
                against: "cascade",
                in: small,
                writes: true
            ),
        ]
    }

    private var objects: [Comparison] {
        [compare("P13 fetch, fire, change \(small.posts), save", .atMost(3), "engine", in: small, writes: true)]
    }

    private var growth: [Comparison] {
        let reads = [
            ("one post", "point", 20_000), ("page", "page", 2_000), ("page with two", "include", 1_000),
            ("two hops", "hop", 500),
        ]
        let grown = reads.flatMap { name, workload, operations in
            [Job.Program.ours, .ceiling].map { program in
                func job(_ world: WorldSize) -> Job {
                    Job(
                        program: program,
                        workload: workload,
                        world: world,
                        arguments: ["operations": count(operations)]
                    )
                }
                return Comparison(
                    name: "P14 \(name), \(self.grown.name) to S" + (program == .ours ? "" : ", in C"),
                    target: .atMost(1.3),
                    ours: job(self.grown),
                    other: job(small),
                    rounds: rounds
                )
            }
        }
        func add(to owner: Int) -> Job {
            Job(
                program: .ours,
                workload: "member",
                world: crowd,
                writes: true,
                arguments: ["operations": count(2_000), "threads": 1, "owner": owner]
            )
        }
        func page(_ number: Int) -> Job {
            Job(
                program: .ours,
                workload: "cursor",
                world: small,
                arguments: ["operations": count(2_000), "page": number]
            )
        }
        return grown + [
            Comparison(
                name: "P15 add to a to-many of \(crowd.posts), to an empty one",
                target: .atMost(1.2),
                ours: add(to: 1),
                other: add(to: 2),
                rounds: rounds
            ),
            Comparison(
                name: "P16 page \(small.posts / 100) by cursor, to page 1",
                target: .atMost(1.2),
                ours: page(small.posts / 100),
                other: page(1),
                rounds: rounds
            ),
        ]
    }
}
