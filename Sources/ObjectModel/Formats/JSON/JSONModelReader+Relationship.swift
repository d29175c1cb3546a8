// SPDX-License-Identifier: Apache-2.0

// Relationships: `"author": "User?.posts"`, `"tags": "[Tag].posts"`, `{"toMany": "Tag", "inverse": "posts", "ordered": true}`.

import JSON
import SourceText

extension JSONModelReader {
    mutating func relationship(_ name: String, _ value: JSONValue) -> Relationship {
        if let text = value.string {
            if let relationship = Relationship(name: name, notation: text) { return relationship }
            report(
                .modelValue,
                at: value.position,
                "“\(text)” isn't a relationship.",
                hint: "Write \"User\", \"User?\" or \"[User]\", followed by the inverse: \"[User].posts\"."
            )
            return Relationship(name: name, destinationName: "")
        }
        var relationship = Relationship(name: name, destinationName: "")
        guard let object = object(value, .relationship, or: "a string") else { return relationship }
        readDestination(of: object, at: value.position, into: &relationship)
        relationship.inverseName = text("inverse", of: object)
        relationship.isOrdered = flag("ordered", of: object) ?? false
        relationship.minimumCount = bound("min", of: object)
        relationship.maximumCount = bound("max", of: object)
        if !relationship.isToMany, relationship.maximumCount != nil {
            report(.modelValue, at: object["max"]?.position, "Only a to-many relationship can have a max.")
            relationship.maximumCount = nil
        }
        relationship.deleteRule = choice("deleteRule", of: object, DeleteRule.jsonNames) ?? .nullify
        relationship.isTransient = flag("transient", of: object) ?? false
        relationship.userInfo = userInfo(of: object)
        relationship.renamingIdentifier = text("renamedFrom", of: object)
        relationship.versionHashModifier = text("versionHashModifier", of: object)
        relationship.extras = extras(of: object, .relationship)
        return relationship
    }

    /// A number of objects; zero means unbounded, as in Core Data.
    private mutating func bound(_ key: String, of object: JSONObject) -> Int? {
        count(key, of: object).flatMap { $0 == 0 ? nil : $0 }
    }

    private mutating func readDestination(
        of object: JSONObject,
        at position: TextPosition?,
        into relationship: inout Relationship
    ) {
        let flag = flag("optional", of: object)
        switch (object["to"], object["toMany"]) {
        case (.some, nil):
            let text = text("to", of: object) ?? ""
            relationship.destinationName = text.withoutQuestionMark
            relationship.isOptional = flag ?? (text.last == "?")
            if text.last == "?", flag == false {
                report(
                    .modelValue,
                    at: object["optional"]?.position,
                    "The question mark makes the relationship optional, but “optional” is false."
                )
            }
        case (nil, .some):
            relationship.destinationName = text("toMany", of: object) ?? ""
            relationship.isToMany = true
            relationship.isOptional = flag ?? true
        case (nil, nil):
            report(
                .modelMissing,
                at: position,
                "A relationship needs a destination.",
                hint: "Write \"to\": \"User\" for one object, or \"toMany\": \"User\" for several."
            )
        case (.some, .some):
            report(
                .modelValue,
                at: object.member("toMany")?.position,
                "A relationship can't have both “to” and “toMany”."
            )
        }
    }
}

extension Relationship {
    /// Parses `User`, `User?` or `[User]`, optionally followed by `.inverse`.
    init?(name: String, notation: String) {
        let parts = notation.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        var destination = parts[0]
        let isToMany = destination.first == "[" && destination.last == "]" && destination.count > 2
        let isOptional = !isToMany && destination.last == "?"
        if isToMany { destination = destination.dropFirst().dropLast() }
        if isOptional { destination.removeLast() }
        let inverse = parts.count > 1 ? parts[1] : nil
        guard destination.isPlainName, inverse?.isPlainName ?? true else { return nil }
        self.init(
            name: name,
            destinationName: String(destination),
            inverseName: inverse.map(String.init),
            isToMany: isToMany,
            isOptional: isToMany || isOptional
        )
    }

    /// The short form without the inverse: `User`, `User?` or `[User]`.
    var head: String { isToMany ? "[\(destinationName)]" : destinationName + (isOptional ? "?" : "") }

    /// The short form, if it expresses the relationship completely.
    private var notation: String? {
        guard destinationName.isPlainName, inverseName?.isPlainName ?? true else { return nil }
        let text = head + (inverseName.map { "." + $0 } ?? "")
        return Relationship(name: name, notation: text) == self ? text : nil
    }

    func json() throws(ModelError) -> JSONValue {
        if let notation { return .string(notation) }
        var object = JSONObject()
        if isToMany {
            object["toMany"] = .string(destinationName)
            if !isOptional { object["optional"] = false }
        } else {
            object["to"] = .string(destinationName + (isOptional ? "?" : ""))
        }
        object["inverse"] = inverseName.map(JSONValue.string)
        object["ordered"] = isOrdered.jsonTrue
        object["min"] = minimumCount.map(JSONValue.integer)
        object["max"] = maximumCount.map(JSONValue.integer)
        if deleteRule != .nullify {
            object["deleteRule"] = DeleteRule.jsonNames.name(of: deleteRule).map(JSONValue.string)
        }
        object["transient"] = isTransient.jsonTrue
        object["userInfo"] = try userInfo.json()
        object["renamedFrom"] = renamingIdentifier.map(JSONValue.string)
        object["versionHashModifier"] = versionHashModifier.map(JSONValue.string)
        try extras.write(to: &object)
        return .object(object)
    }
}

extension StringProtocol {
    /// Whether the short form can contain the name.
    fileprivate var isPlainName: Bool {
        !isEmpty && !utf8.contains { ".?[] ".utf8.contains($0) }
    }
}
