// SPDX-License-Identifier: Apache-2.0

// What is compared with what, and what ought to come of it.

/// Two jobs that are done in turn.
struct Comparison {
    enum Target {
        /// So many times as fast as the other one.
        case atLeast(Double)
        /// Taking so many times as long as the other one.
        case atMost(Double)

        var bound: Double {
            switch self {
            case .atLeast(let bound), .atMost(let bound): bound
            }
        }

        func isMet(by ratio: Double) -> Bool {
            switch self {
            case .atLeast(let bound): ratio >= bound
            case .atMost(let bound): ratio <= bound
            }
        }

        var text: String {
            switch self {
            case .atLeast(let bound): "≥ \(bound)"
            case .atMost(let bound): "≤ \(bound)"
            }
        }
    }

    var name: String
    var target: Target
    var ours: Job
    var other: Job
    var rounds = 5
}
