// SPDX-License-Identifier: Apache-2.0

// The tags of objects: by them clients know whether they have what there is.

import HTTPMessage
import JSON
import ObjectGraph
import Predicates

extension Snapshot {
    /// The tag of an object that is shown as a whole: its version, which says it all unless values are derived of other objects'.
    func tag(of shape: ObjectShape) -> String {
        guard !shape.derived.isEmpty else { return "\"\(version)\"" }
        var values = JSONBuffer(capacity: 64)
        for attribute in shape.derived {
            values.write(row.attributes[attribute.slot], of: attribute)
            values.write(byte: ",")
        }
        return tag(with: values.bytes)
    }

    /// The tag of an object of which a part, or more than it, is shown, or in whose place another may be: whatever the answer has counts,
    /// versions of embedded objects among it.
    func tag(with bytes: [UInt8]) -> String { "\"\(version)-\(String(bytes.fnv1a, radix: 36))\"" }
}

extension Snapshot {
    /// The tag of an object in an editing context, where the version doesn't tell what is pending: between it and the sum over what is
    /// shown stands one over all values that can be set, by which a change is known to go out from what there is.
    func draftTag(with bytes: [UInt8] = []) -> EntityTag {
        EntityTag("\(version)-\(draftState)-\(String(bytes.fnv1a, radix: 36))")
    }

    /// What stands for all values that can be set.
    var draftState: String {
        var values = JSONBuffer()
        for attribute in objectID.entity.attributes where !attribute.isDerived {
            if case .data(let data) = row.attributes[attribute.slot] {
                values.write(raw: String([UInt8](data).fnv1a, radix: 36))
            } else {
                values.write(row.attributes[attribute.slot], of: attribute)
            }
            values.write(byte: ",")
        }
        for destination in row.toOnes { values.write(raw: "\(destination?.uri ?? ""),") }
        return String(values.bytes.fnv1a, radix: 36)
    }
}

extension [UInt8] {
    /// The bytes' FNV-1a sum.
    var fnv1a: UInt64 { reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } }
}
