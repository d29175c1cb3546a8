// SPDX-License-Identifier: Apache-2.0

// The shared state of reading a model's JSON: the current location, the issues found, and access to members. A value
// that can't be read is reported and treated as absent.

import JSON
import SourceText

struct JSONModelReader {
    let file: String?
    /// The model's composites, which types of attributes may name.
    var compositeNames: Set<String> = []
    /// The model's entities, which relationships name.
    var entityNames: Set<String> = []
    private(set) var issues: [ModelIssue] = []
    private var entity: String?
    private var property: String?

    init(file: String?) {
        self.file = file
    }

    /// The value as an object, reporting unknown keys.
    mutating func object(_ value: JSONValue, _ keys: ModelKeys, or shortForm: String? = nil) -> JSONObject? {
        guard let object = value.object else {
            reportType(of: value, "The \(keys.words)", "\(shortForm.map { $0 + " or " } ?? "")an object")
            return nil
        }
        for member in object.members where !keys.keys.contains(member.name) {
            report(
                .modelKey,
                at: member.position ?? value.position,
                "“\(member.name)” isn't a key of the \(keys.words).",
                hint: keys.familiarHint(for: member.name) ?? Spelling.hint(for: member.name, among: keys.keys)
                    ?? "The keys are \(keys.keys.joined(separator: ", "))."
            )
        }
        return object
    }

    /// Reads an object with a member for each thing. Issues name the thing as entity or property.
    mutating func named<Thing>(
        _ key: String,
        of object: JSONObject,
        as scope: WritableKeyPath<JSONModelReader, String?>? = nil,
        _ read: (inout JSONModelReader, String, JSONValue) -> Thing
    ) -> [Thing] {
        guard let value = object[key] else { return [] }
        guard let members = value.object?.members else {
            reportType(of: value, key, "an object with a member for each name")
            return []
        }
        return members.map { member in
            guard let scope else { return read(&self, member.name, member.value) }
            let outer = self[keyPath: scope]
            self[keyPath: scope] = member.name
            defer { self[keyPath: scope] = outer }
            return read(&self, member.name, member.value)
        }
    }

    mutating func entities<Thing>(
        _ key: String,
        of object: JSONObject,
        _ read: (inout JSONModelReader, String, JSONValue) -> Thing
    ) -> [Thing] {
        named(key, of: object, as: \.entity, read)
    }

    mutating func properties<Thing>(
        _ key: String,
        of object: JSONObject,
        _ read: (inout JSONModelReader, String, JSONValue) -> Thing
    ) -> [Thing] {
        named(key, of: object, as: \.property, read)
    }

    mutating func text(_ key: String, of object: JSONObject) -> String? {
        guard let value = object[key] else { return nil }
        if value.string == nil { reportType(of: value, key, "a string") }
        return value.string
    }

    mutating func flag(_ key: String, of object: JSONObject) -> Bool? {
        guard let value = object[key] else { return nil }
        if value.bool == nil { reportType(of: value, key, "true or false") }
        return value.bool
    }

    /// A non-negative integer.
    mutating func count(_ key: String, of object: JSONObject) -> Int? {
        guard let value = object[key] else { return nil }
        if let count = value.int64, count >= 0 { return Int(count) }
        reportType(of: value, key, "a non-negative integer", found: value.int64.map(String.init))
        return nil
    }

    mutating func choice<Choice>(
        _ key: String,
        of object: JSONObject,
        _ names: KeyValuePairs<String, Choice>
    ) -> Choice? {
        guard let name = text(key, of: object), let value = object[key] else { return nil }
        if let choice = names.first(where: { $0.key == name }) { return choice.value }
        let all = names.map(\.key).joined(separator: ", ")
        report(.modelValue, at: value.position, "“\(name)” isn't a valid \(key).", hint: "Write one of \(all).")
        return nil
    }

    mutating func elements(_ key: String, of object: JSONObject) -> [JSONValue] {
        guard let value = object[key] else { return [] }
        if value.array == nil { reportType(of: value, key, "an array") }
        return value.array ?? []
    }

    mutating func texts(_ value: JSONValue, _ what: String) -> [String] {
        guard let values = value.array else {
            reportType(of: value, what, "an array of strings")
            return []
        }
        return values.compactMap { value in
            if value.string == nil { reportType(of: value, "an element of \(what)", "a string") }
            return value.string
        }
    }

    /// - Parameter found: The value, if its kind alone doesn't show what is wrong.
    mutating func reportType(of value: JSONValue, _ what: String, _ expected: String, found: String? = nil) {
        report(.modelType, at: value.position, "\(what) must be \(expected), not \(found ?? value.kindName).")
    }

    mutating func report(
        _ code: ModelIssue.Code,
        isMild: Bool = false,
        at position: TextPosition?,
        _ message: String,
        hint: String? = nil
    ) {
        let place = ModelIssue.Place(
            file: file,
            line: position?.line,
            column: position?.column,
            entity: entity,
            property: property
        )
        issues.append(ModelIssue(code, isMild: isMild, at: place, message, hint: hint))
    }
}
