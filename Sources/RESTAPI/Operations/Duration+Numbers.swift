// SPDX-License-Identifier: Apache-2.0

// Durations as numbers for people and their tools.

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    var milliseconds: Double { seconds * 1e3 }
}
