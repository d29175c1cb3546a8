// SPDX-License-Identifier: Apache-2.0

// Text and JSON of a difference between models.

import JSON
import ObjectModel
import SourceText

extension ModelDiff {
    var report: Report {
        let changes = lines.map { StyledText($0.printable()) }
        return Report(
            text: (changes + (obstacles + consequences).map(\.line) + [StyledText(verdict, .bold)])
                .joined(separator: "\n"),
            json: [
                "entities": .array(entities.map(\.json)),
                "aspects": .array(aspects.map(\.json)),
                "changesStorage": .bool(changesStorage),
                "canBeInferred": .bool(canBeInferred),
                "obstacles": .array(obstacles.map(\.json)),
                "consequences": .array(consequences.map(\.json)),
            ],
            status: canBeInferred ? .fine : .problems
        )
    }

    private var verdict: String {
        if isEmpty { return "The models are the same." }
        if !changesStorage { return "Stores are compatible with both: nothing that they keep differs." }
        if canBeInferred { return "Lightweight migration is possible." }
        return "Lightweight migration isn't possible: \(Wording.count(obstacles.count, "obstacle"))."
    }
}

extension EntityChange {
    fileprivate var json: JSONValue {
        let kind =
            switch kind {
            case .added: "added"
            case .removed: "removed"
            case .changed: oldName == nil ? "changed" : "renamed"
            }
        var json: JSONObject = ["name": .string(name), "change": .string(kind)]
        json["oldName"] = oldName.map(JSONValue.string)
        if !aspects.isEmpty { json["aspects"] = .array(aspects.map(\.json)) }
        if !properties.isEmpty { json["properties"] = .array(properties.map(\.json)) }
        return .object(json)
    }
}

extension PropertyChange {
    fileprivate var json: JSONValue {
        var json: JSONObject = ["name": .string(name), "kind": .string(property.kind)]
        switch kind {
        case .added: json["change"] = "added"
        case .removed: json["change"] = "removed"
        case .changed: json["change"] = oldName == nil ? "changed" : "renamed"
        case .movedFrom(let entity):
            json["change"] = "moved"
            json["from"] = .string(entity)
        case .movedTo(let entity):
            json["change"] = "moved"
            json["to"] = .string(entity)
        }
        json["oldName"] = oldName.map(JSONValue.string)
        if !aspects.isEmpty { json["aspects"] = .array(aspects.map(\.json)) }
        return .object(json)
    }
}

extension Property {
    fileprivate var kind: String {
        switch self {
        case .attribute: "attribute"
        case .relationship: "relationship"
        case .fetched: "fetchedProperty"
        }
    }
}

extension AspectChange {
    fileprivate var json: JSONValue {
        var json: JSONObject = ["aspect": .string(aspect.rawValue)]
        json["old"] = old.map(JSONValue.init)
        json["new"] = new.map(JSONValue.init)
        return .object(json)
    }
}
