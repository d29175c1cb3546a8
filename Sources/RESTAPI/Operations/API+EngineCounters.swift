// SPDX-License-Identifier: Apache-2.0

// What the engine has counted.

import ObjectGraph

extension API {
    var engineCounters: [EngineCounter] {
        let counts = coordinator.statistics
        return [
            EngineCounter("fetches", "fetches", "Fetches, counts and tables.", counts.fetches.count),
            EngineCounter("saves", "saves", "Completed saves.", counts.saves.count),
            EngineCounter("batches", "batches", "Completed batches.", counts.batches.count),
            EngineCounter("faults", "faults", "Rows requested by ID.", counts.faults.objects),
            EngineCounter("cacheHits", "row_cache_hits", "Rows found in the row cache.", counts.rowCache.hits),
            EngineCounter("cacheMisses", "row_cache_misses", "Rows read from a store.", counts.rowCache.misses),
            EngineCounter("statements", "sql_statements", "Executed SQL statements.", counts.statements),
        ]
    }

    /// A counter under the name that it has in JSON, and in metrics.
    struct EngineCounter {
        let name: String
        let metric: String
        let help: String
        let value: Int

        init(_ name: String, _ metric: String, _ help: String, _ value: Int) {
            self.name = name
            self.metric = metric
            self.help = help
            self.value = value
        }
    }
}
