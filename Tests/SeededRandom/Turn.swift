// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Selects a part of a test's arguments. `OUTCROP_TURN`, such as `1/3`, selects one of three parts, counted from 0, for
/// runs that share the work; without it all are used. No part is empty.
public enum Turn {
    public static func part<Element>(of all: [Element]) -> [Element] {
        let turn =
            ProcessInfo.processInfo.environment["OUTCROP_TURN"]?.split(separator: "/").compactMap { Int($0) } ?? []
        guard turn.count == 2, turn[1] > 0, !all.isEmpty else { return all }
        let parts = min(turn[1], all.count)
        return stride(from: turn[0] % parts, to: all.count, by: parts).map { all[$0] }
    }
}
