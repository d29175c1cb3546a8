// SPDX-License-Identifier: Apache-2.0

// What rows take of memory, roughly, for those who keep many.

import Predicates

extension Snapshot {
    /// The bytes that the snapshot takes, without those of mapped files.
    public var roughSize: Int { row.roughSize - mappedBytes }
}

extension Row {
    /// The bytes that the row takes, its snapshot and ID included.
    public var roughSize: Int {
        200 + 8 * toOnes.count + attributes.reduce(0) { $0 + MemoryLayout<Value>.stride + $1.roughPayload }
    }

    /// The bytes of those values that another row hasn't.
    func roughSize(besides other: Row) -> Int {
        attributes.indices.reduce(0) { size, slot in
            let isShared = slot < other.attributes.count && other.attributes[slot] == attributes[slot]
            return size + (isShared ? 0 : attributes[slot].roughPayload)
        }
    }
}

extension Value {
    /// The bytes of what isn't in the value itself.
    var roughPayload: Int {
        switch self {
        case .string(let text), .uri(let text): text.utf8.count
        case .data(let data): data.count
        case .reference(let reference): 32 + reference.uri.utf8.count
        case .array(let values): values.reduce(32) { $0 + MemoryLayout<Value>.stride + $1.roughPayload }
        case .dictionary(let members):
            members.reduce(64) { $0 + 64 + $1.key.utf8.count + $1.value.roughPayload }
        default: 0
        }
    }
}
