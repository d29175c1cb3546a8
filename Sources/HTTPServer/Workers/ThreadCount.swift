// SPDX-License-Identifier: Apache-2.0

/// The numbers of threads that run jobs, in total and per client.
struct ThreadCount {
    private(set) var all = JobCount()
    /// Empty if clients aren't limited.
    private var clients: [[UInt8]: JobCount] = [:]

    subscript(client: [UInt8]) -> JobCount { clients[client] ?? JobCount() }

    mutating func add(_ change: Int, _ job: WorkerPool.Job, limitsClients: Bool) {
        all[mayBlock: job.mayBlock] += change
        guard limitsClients, let client = job.client else { return }
        clients[client, default: JobCount()][mayBlock: job.mayBlock] += change
        if clients[client]?.all == 0 { clients[client] = nil }
    }
}
