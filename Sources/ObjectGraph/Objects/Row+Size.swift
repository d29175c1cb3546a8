// SPDX-License-Identifier: Apache-2.0

// Approximate memory sizes of rows, for caches.

import Predicates

extension Snapshot {
    /// The bytes of the snapshot, without those of mapped files.
    public var approximateSize: Int { row.approximateSize - mappedBytes }
}

extension Row {
    /// The bytes of the row, with its snapshot and ID.
    public var approximateSize: Int {
        200 + 8 * toOnes.count + attributes.reduce(0) { $0 + MemoryLayout<Value>.stride + $1.approximatePayload }
    }

    /// The bytes of the values that another row doesn't share.
    func approximateSize(besides other: Row) -> Int {
        attributes.indices.reduce(0) { size, slot in
            let isShared = slot < other.attributes.count && other.attributes[slot] == attributes[slot]
            return size + (isShared ? 0 : attributes[slot].approximatePayload)
        }
    }
}

extension Value {
    /// The bytes outside of the value's inline storage.
    var approximatePayload: Int {
        switch self {
        case .string(let text), .uri(let text): text.utf8.count
        case .data(let data): data.count
        case .reference(let reference): 32 + reference.uri.utf8.count
        case .array(let values): values.reduce(32) { $0 + MemoryLayout<Value>.stride + $1.approximatePayload }
        case .dictionary(let members):
            members.reduce(64) { $0 + 64 + $1.key.utf8.count + $1.value.approximatePayload }
        default: 0
        }
    }
}
