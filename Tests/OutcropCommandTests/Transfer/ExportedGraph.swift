// SPDX-License-Identifier: Apache-2.0

// The contents of an export, regardless of the names of its objects.

import JSON
import Testing

/// The objects of an export, described by their values and destinations, so that equal graphs have equal descriptions.
struct ExportedGraph: Equatable {
    let objects: [String]

    init(_ text: String) throws {
        let lines = try text.split(separator: "\n").map { try #require(try JSONValue(parsing: String($0)).object) }
        let ids = Set(lines.compactMap { $0["_id"]?.string })
        try #require(ids.count == lines.count)
        var colors = Dictionary(uniqueKeysWithValues: lines.map { ($0["_id"]?.string ?? "", 0) })
        func described(_ value: JSONValue) -> String {
            if let text = value.string, ids.contains(text) { return "→\(colors[text] ?? 0)" }
            // Keeps the order of members; `description` sorts those without one.
            if let members = value.array { return "\(members.map(described))" }
            return value.serialized()
        }
        func description(_ object: JSONObject, sorting: Bool) -> String {
            object.members.filter { $0.name != "_id" && $0.name != "_version" }.map { member in
                guard sorting, let members = member.value.array, member.name != "tags", member.name != "items" else {
                    return "\(member.name)=\(described(member.value))"
                }
                return "\(member.name)=\(members.map(described).sorted())"
            }.joined(separator: " ")
        }
        // Each round distinguishes objects by the destinations that the previous one has distinguished.
        for _ in 0..<6 {
            var next = colors
            for object in lines {
                next[object["_id"]?.string ?? ""] = Self.sum(description(object, sorting: true))
            }
            colors = next
        }
        objects = lines.map { description($0, sorting: true) }.sorted()
    }

    private static func sum(_ text: String) -> Int {
        Int(
            truncatingIfNeeded: text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
                ($0 ^ UInt64($1)) &* 0x100_0000_01b3
            }
        )
    }
}
