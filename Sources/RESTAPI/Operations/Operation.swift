// SPDX-License-Identifier: Apache-2.0

// What requests do, as it is counted.

import HTTPMessage

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

    /// Nil for what has nothing to do with objects.
    init?(_ route: Route, _ method: HTTPMethod) {
        let isRead = method == .get || method == .head
        switch route {
        case .collection: self = isRead ? .fetch : .create
        case .fetch: self = .fetch
        case .batch(_, .insert): self = .batchInsert
        case .batch(_, .update): self = .batchUpdate
        case .batch(_, .delete): self = .batchDelete
        case .object:
            self = isRead ? .read : method == .patch ? .update : method == .put ? .replace : .delete
        case .property(_, _, let property):
            let isBytes = property.attribute != nil
            self = isRead ? (isBytes ? .readBytes : .traverse) : (isBytes ? .writeBytes : .relate)
        case .member: self = .relate
        case .transaction: self = .transaction
        case .query: self = .query
        default: return nil
        }
    }
}
