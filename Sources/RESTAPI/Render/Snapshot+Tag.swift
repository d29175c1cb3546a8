// SPDX-License-Identifier: Apache-2.0

// The entity tags of objects.

import Basics
import HTTPMessage
import JSON
import ObjectGraph
import Predicates

extension Snapshot {
    /// The tag of an object that is shown completely: its version, the number of migrations if there were any, and a
    /// checksum of values derived from other objects.
    func tag(of shape: ObjectShape) -> String {
        guard !shape.derived.isEmpty else { return "\"\(version)\(shape.tagSuffix)\"" }
        var values = JSONBuffer(capacity: 64)
        for attribute in shape.derived {
            values.write(row.attributes[attribute.slot], of: attribute)
            values.write(byte: ",")
        }
        values.write(raw: shape.tagSuffix)
        return tag(with: values.bytes)
    }

    /// The tag of an object that is shown partially or with embedded objects, or that another one may replace: it
    /// depends on everything in the answer.
    func tag(with bytes: [UInt8]) -> String { "\"\(version)-\(String(bytes.fnv1a, radix: 36))\"" }
}

extension Snapshot {
    /// The tag of an object in an editing context, where the version doesn't cover pending changes. A checksum of all
    /// settable values comes before that of the shown ones: it identifies the state that a change is based on.
    func draftTag(with bytes: [UInt8] = []) -> EntityTag {
        EntityTag("\(version)-\(draftState)-\(String(bytes.fnv1a, radix: 36))")
    }

    /// A checksum of all settable values.
    var draftState: String {
        var values = JSONBuffer()
        for attribute in objectID.entity.attributes where !attribute.isDerived {
            if case .data(let data) = row.attributes[attribute.slot] {
                values.write(raw: String(data.fnv1a, radix: 36))
            } else {
                values.write(row.attributes[attribute.slot], of: attribute)
            }
            values.write(byte: ",")
        }
        for destination in row.toOnes { values.write(raw: "\(destination?.uri ?? ""),") }
        return String(values.bytes.fnv1a, radix: 36)
    }
}
