// SPDX-License-Identifier: Apache-2.0

// What the engine has counted.

import ObjectGraph

extension API {
    var engineCounters: [EngineCounter] {
        let rows = coordinator.rowCacheStatistics
        return [
            EngineCounter("cacheHits", "row_cache_hits", "Rows that were asked for and found in memory.", rows.hits),
            EngineCounter("cacheMisses", "row_cache_misses", "Rows that had to be read.", rows.misses),
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
