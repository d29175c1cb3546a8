// SPDX-License-Identifier: Apache-2.0

// What is done in one run.

/// One workload as one program does it.
struct Job {
    enum Program { case ours, ceiling }

    let program: Program
    let workload: String
    let world: WorldSize
    /// Whether it works on a copy, since it writes.
    var writes = false
    /// Whether every sync takes 2 ms longer.
    var isDelayed = false
    var arguments: [String: Int] = [:]
}
