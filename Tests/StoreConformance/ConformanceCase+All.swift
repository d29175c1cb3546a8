// SPDX-License-Identifier: Apache-2.0

// The list of all that is asked of a store.

extension ConformanceCase {
    public static let all =
        values + relationships + deleting + fetching + uniqueness + saving + generations + identity + deriving
        + notes + searching
        + [manyRows, randomSaves]
}
