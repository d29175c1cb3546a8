// SPDX-License-Identifier: Apache-2.0

// What the engine has counted.

import ObjectGraph

extension API {
    var engineCounters: [EngineCounter] {
        let counts = coordinator.statistics
        return [
            EngineCounter("fetches", "fetches", "Fetches, counts and tables.", counts.fetches.count),
            EngineCounter("saves", "saves", "Saves that were done.", counts.saves.count),
            EngineCounter("batches", "batches", "Batches that were done.", counts.batches.count),
            EngineCounter("faults", "faults", "Rows that were asked for by ID.", counts.faults.objects),
            EngineCounter("cacheHits", "row_cache_hits", "Rows that were found in memory.", counts.rowCache.hits),
            EngineCounter("cacheMisses", "row_cache_misses", "Rows that had to be read.", counts.rowCache.misses),
            EngineCounter("statements", "sql_statements", "Statements of SQL that were run.", counts.statements),
        ]
    }

    /// A counter under the name that it has in JSON, and in metrics.
    struct EngineCounter {
        let name: String
        let metric: String
        let help: String
        let value: Int

        init(_ name: String, _ metric: String, _ help: String, _ value: Int) {
            (self.name, self.metric, self.help, self.value) = (name, metric, help, value)
        }
    }
}
