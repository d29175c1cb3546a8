// SPDX-License-Identifier: Apache-2.0

// The list of all cases.

extension ConformanceCase {
    public static let all =
        values + relationships + deleting + fetching + uniqueness + saving + generations + identity + deriving
        + notes + searching
        + [manyRows, randomSaves]
}
