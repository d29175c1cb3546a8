// SPDX-License-Identifier: Apache-2.0

// Parsing and writing of format strings.

import Outcrop

func predicateBenchmarks(rounds: Int) throws -> [Measurement] {
    let typical = "views > 100 AND author.name BEGINSWITH[cd] 'o' AND type != 2"
    let withArguments = "siteID == %lld AND statusKey ==[c] %@ AND author.name != nil"
    let predicate = try ObjectPredicate(typical)
    return [
        try Measurement("parse, \(typical.utf8.count) characters", rounds: rounds) {
            _ = try ObjectPredicate(typical)
        },
        try Measurement("parse with 2 arguments, \(withArguments.utf8.count) characters", rounds: rounds) {
            _ = try ObjectPredicate(withArguments, arguments: [1, "open"])
        },
        Measurement("canonical text, \(typical.utf8.count) characters", rounds: rounds) {
            _ = predicate.description
        },
    ]
}
