// SPDX-License-Identifier: Apache-2.0

// The references in a document to parts of it: `#/components/schemas/Post`.

import JSON

extension JSONValue {
    /// The references in a value.
    var references: [String] {
        switch kind {
        case .array(let members): members.flatMap(\.references)
        case .object(let object):
            (object["$ref"]?.string.map { [$0] } ?? []) + object.members.flatMap(\.value.references)
        default: []
        }
    }

    /// All references in some values, and in the parts of this document that they refer to.
    func references(from values: [JSONValue]) -> Set<String> {
        var all = Set(values.flatMap(\.references))
        var pending = Array(all)
        while let reference = pending.popLast() {
            let part = reference.split(separator: "/").dropFirst().reduce(self as JSONValue?) { $0?[String($1)] }
            pending += (part?.references ?? []).filter { all.insert($0).inserted }
        }
        return all
    }
}
