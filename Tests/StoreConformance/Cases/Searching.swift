// SPDX-License-Identifier: Apache-2.0

// The results of searches and their order.

import ObjectGraph
import Predicates

extension ConformanceCase {
    static let searching = [searches, relevance]

    static let searches = ConformanceCase(
        "A search finds current rows by the words in their searchable attributes"
    ) {
        world in
        try world.change { context in
            try Museum.fill(context)
            try context.make("Specimen", "one", ["place": .dictionary(["label": "Kammer Ost", "floor": 1])])
            try context.make("Specimen", "Kammer")
        }
        for world in [world, try world.reopened()] {
            let searches: [(String, String, [String])] = [
                ("Exhibit", "cafe", ["Cafe\u{301}", "Café"]), ("Exhibit", "STRASSE", ["STRASSE", "Straße"]),
                ("Painting", "strasse", ["STRASSE", "Straße"]), ("Statue", "strasse", []),
                ("Exhibit", "z*", ["Zebra", "zoo"]),
                ("Exhibit", "z* NOT zoo", ["Zebra"]), ("Exhibit", "\"line break\" OR 日", ["line\r\nbreak", "日本 𝄞"]),
                ("Exhibit", "\"break line\"", []), ("Exhibit", "nul byte", ["nul\u{0}byte"]),
                ("Exhibit", "arger", ["Ärger", "ärger"]), ("Specimen", "kammer", ["one"]),
                ("Specimen", "ost AND kam*", ["one"]),
            ]
            for (entity, text, names) in searches {
                try require("\(entity) found by \(text)", found(in: world, entity, text), is: names)
            }
        }
        try world.change { context in
            for statue in try context.all("Statue") where try ["Café", "zoo"].contains(statue.name) {
                if try statue.name == "zoo" {
                    context.delete(statue)
                } else {
                    try statue.setValue("Zoo", forKey: "name")
                }
            }
        }
        for world in [world, try world.reopened()] {
            try require("Found after changes", found(in: world, "Exhibit", "zoo OR cafe"), is: ["Zoo", "Zoo"])
        }
    }

    static let relevance = ConformanceCase("By default, search results are ordered by relevance, then by object ID") {
        world in
        for name in ["oak ash elm", "ash", "elm ash", "oak", "ash", "elm elm ash ash"] {
            try world.insert("Painting", name)
        }
        for world in [world, try world.reopened()] {
            for (text, names) in [
                ("ash", ["ash", "ash", "elm elm ash ash", "elm ash", "oak ash elm"]),
                ("oak OR ash", ["oak", "oak ash elm", "ash", "ash", "elm elm ash ash", "elm ash"]),
                ("e*", ["elm elm ash ash", "elm ash", "oak ash elm"]),
            ] {
                let request = try request("Exhibit", text)
                let found = try world.coordinator.read { try $0.snapshots(request) }
                try require("\(text) by relevance", found.map(name), is: names)
                let equal = found.filter { name(of: $0) == "ash" }.map(\.objectID)
                var byID = request
                byID.sortDescriptors = [ObjectSortDescriptor("objectID")]
                byID.predicate = try ObjectPredicate("name == 'ash'")
                let expected = equal.isEmpty ? [] : try world.coordinator.read { [byID] in try $0.objectIDs(byID) }
                try require("Equal matches", equal, is: expected)
                for limit in 1...names.count {
                    var some = request
                    (some.fetchOffset, some.fetchLimit) = (limit / 2, limit)
                    let window = try world.coordinator.read { [some] in try $0.objectIDs(some) }
                    try require("A window", window, is: Array(found.map(\.objectID).dropFirst(limit / 2).prefix(limit)))
                }
            }
        }
    }

    private static func request(_ entity: String, _ text: String) throws -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entity)
        request.search = try Search(text)
        return request
    }

    private static func found(in world: World, _ entity: String, _ text: String) throws -> [String] {
        let request = try request(entity, text)
        let rows = try world.coordinator.read { try $0.snapshots(request) }
        try require("The number of \(text)", world.coordinator.read { try $0.count(request) }, is: rows.count)
        return rows.map(name).sorted()
    }

    private static func name(of row: Snapshot) -> String {
        guard let attribute = row.objectID.entity.attribute(named: "name"),
            case .string(let name) = row.row.attributes[attribute.slot]
        else { return "" }
        return name
    }
}
