// SPDX-License-Identifier: Apache-2.0

// What requests do, as it is counted.

enum Operation: String, CaseIterable {
    case read
    case fetch
    case create
    case update
    case replace
    case delete
    case traverse
    case relate
    case readBytes = "read-bytes"
    case writeBytes = "write-bytes"
    case batchInsert = "batch-insert"
    case batchUpdate = "batch-update"
    case batchDelete = "batch-delete"
    case transaction
    case query

    /// Where it stands among all.
    var index: Int { Self.indices[self, default: 0] }

    private static let indices = Dictionary(uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })
}
