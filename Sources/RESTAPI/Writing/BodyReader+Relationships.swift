// SPDX-License-Identifier: Apache-2.0

// Reads references in bodies, nested objects, and edits of to-many relationships.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import SourceText

extension BodyReader {
    /// An object that a body refers to or nests.
    mutating func reference(
        _ json: JSONValue,
        to destination: Resource,
        at place: BodyPosition,
        in index: Int
    ) -> Reference? {
        switch json.kind {
        case .string(let text): return reference(text, to: destination, at: place, in: index)
        case .object(let object):
            let isBare = object.members.allSatisfy { Self.ownKeys.contains($0.name) }
            let name = object["_id"]?.string
            if isBare, let name { return reference(name, to: destination, at: place, in: index, object: object) }
            if let values = object["_id"]?.object {
                return reference(values, of: object, to: destination, at: place)
            }
            guard object["_id"] != nil, name?.hasPrefix("$") != true else {
                // A body that is the new object as a whole has no pointer.
                let called = place.pointer.isEmpty ? destination.path : place.pointer
                let inner = BodyPosition(object: called, pointer: place.pointer, position: json.position)
                return insert(object, destination, inner, index).map { Reference(target: .write($0), place: place) }
            }
            return nested(object, to: destination, at: place, json: json, in: index)
        default:
            findings.add(
                .type,
                "\(place.property ?? "It") takes a reference such as \"\(destination.path)/1\", or an object, "
                    + "not \(json.summary).",
                at: place
            )
            return nil
        }
    }

    /// An existing object that is changed where it is nested.
    private mutating func nested(
        _ object: JSONObject,
        to destination: Resource,
        at place: BodyPosition,
        json: JSONValue,
        in index: Int
    ) -> Reference? {
        let id = object["_id"] ?? json
        guard let location = location(id) else {
            refuse(id, to: destination, at: place)
            return nil
        }
        guard check(location, to: destination, at: place) else { return nil }
        let inner = BodyPosition(object: location.name, pointer: place.pointer, position: json.position)
        return change(object, .update(location), inner, index).map { Reference(target: .write($0), place: place) }
    }

    private mutating func reference(
        _ text: String,
        to destination: Resource,
        at place: BodyPosition,
        in index: Int,
        object: JSONObject? = nil
    ) -> Reference? {
        guard admitObject() else { return nil }
        if text.hasPrefix("$") {
            record(NameUse(name: text, destination: destination, place: place, parent: index, object: object))
            return Reference(target: .temporary(text), place: place)
        }
        guard let location = location(.string(text)) else {
            refuse(.string(text), to: destination, at: place, hint: valuesHint(destination))
            return nil
        }
        guard check(location, to: destination, at: place) else { return nil }
        return Reference(target: .stored(location), place: place)
    }

    /// Whether the relationship may refer to the object, judging by its entity.
    mutating func check(_ location: ObjectLocation, to destination: Resource, at place: BodyPosition) -> Bool {
        let named = location.resource.entity
        let wanted = destination.entity
        if named.isKind(of: wanted) || wanted.isKind(of: named) { return true }
        findings.add(
            .reference,
            "\(location.name.shortened) is \(location.resource.name.withArticle), but \(destination.name.withArticle) is expected.",
            at: place
        )
        return false
    }

    /// - Parameter hint: The hint if the value doesn't resemble a reference.
    mutating func refuse(
        _ json: JSONValue,
        to destination: Resource,
        at place: BodyPosition,
        hint: String? = nil
    ) {
        let names = catalogue.names
        findings.add(
            .reference,
            "\(json.summary) isn't a reference such as \"\(destination.path)/1\".",
            hint: json.string?.split(separator: "/").first.flatMap { Spelling.hint(for: String($0), among: names) }
                ?? hint,
            at: place
        )
    }

    /// The object that a reference names: `posts/42`, or `x-coredata://STORE-UUID/Post/p42`.
    func location(_ json: JSONValue) -> ObjectLocation? {
        guard let text = json.string else { return nil }
        let scheme = "x-coredata://"
        guard text.hasPrefix(scheme) else {
            return catalogue.parts(ofReference: text).map { ObjectLocation(resource: $0.resource, key: $0.key) }
        }
        let parts = text.dropFirst(scheme.utf8.count).split(separator: "/", maxSplits: 2)
        guard parts.count == 3, let store = UUID(uuidString: String(parts[0])),
            let resource = catalogue.resource(named: String(parts[1])), parts[2].first == "p",
            let target = try? RequestTarget("/\(parts[2].dropFirst())"), target.rawQuery == nil
        else { return nil }
        let key = target.segments.joined(separator: "/")
        return key.isEmpty ? nil : ObjectLocation(resource: resource, key: key, store: store)
    }

    /// The change of a to-many relationship: all members, or `{"add":…,"remove":…,"move":…}`.
    mutating func members(
        _ json: JSONValue,
        of relationship: RelationshipDescription,
        at place: BodyPosition,
        in index: Int
    ) -> PropertyWrite.Change? {
        switch json.kind {
        case .null: return .members([])
        case .array(let elements):
            return references(elements, of: relationship, at: place, in: index).map { .members($0) }
        case .object(let object): return edit(object, of: relationship, at: place, in: index).map { .edit($0) }
        default:
            findings.add(
                .type,
                "\(place.property ?? relationship.name) takes an array of references, or {\"add\": […], \"remove\": […]}, "
                    + "not \(json.summary).",
                at: place
            )
            return nil
        }
    }

    mutating func references(
        _ elements: [JSONValue],
        of relationship: RelationshipDescription,
        at place: BodyPosition,
        in index: Int
    ) -> [Reference]? {
        let destination = catalogue.destination(of: relationship)
        var references: [Reference] = []
        for (offset, element) in elements.enumerated() {
            let reference = reference(element, to: destination, at: place.part("\(offset)", element), in: index)
            if let reference { references.append(reference) }
        }
        return references.count == elements.count ? references : nil
    }

    private mutating func edit(
        _ object: JSONObject,
        of relationship: RelationshipDescription,
        at place: BodyPosition,
        in index: Int
    ) -> MembersEdit? {
        var edit = MembersEdit()
        for member in object.members {
            let part = place.part(member.name, member.value)
            guard let elements = list(member, of: relationship, at: part) else { return nil }
            switch member.name {
            case "add":
                guard let added = references(elements, of: relationship, at: part, in: index) else { return nil }
                edit.added = added
            case "remove":
                guard let removed = references(elements, of: relationship, at: part, in: index) else { return nil }
                edit.removed = removed
            default:
                guard let moves = moves(elements, of: relationship, at: part, in: index) else { return nil }
                edit.moves = moves
            }
        }
        return edit
    }

    /// The elements of a key of an edit, or nil if the edit lacks the key.
    private mutating func list(
        _ member: JSONMember,
        of relationship: RelationshipDescription,
        at place: BodyPosition
    ) -> [JSONValue]? {
        let keys = relationship.isOrdered ? ["add", "remove", "move"] : ["add", "remove"]
        guard keys.contains(member.name) else {
            let isMove = member.name == "move"
            findings.add(
                .unknown,
                isMove
                    ? "\(place.property ?? relationship.name) isn't ordered, so nothing can be moved in it."
                    : "\(place.property ?? relationship.name) takes \(keys.joined(separator: ", ")), not “\(member.name.shortened)”.",
                hint: isMove ? nil : Spelling.hint(for: member.name, among: keys),
                at: place
            )
            return nil
        }
        if let elements = member.value.array { return elements }
        findings.add(.type, "“\(member.name)” takes an array, not \(member.value.summary).", at: place)
        return nil
    }

    private mutating func moves(
        _ elements: [JSONValue],
        of relationship: RelationshipDescription,
        at place: BodyPosition,
        in index: Int
    ) -> [MembersEdit.Move]? {
        let destination = catalogue.destination(of: relationship)
        var moves: [MembersEdit.Move] = []
        for (offset, element) in elements.enumerated() {
            let part = place.part("\(offset)", element)
            guard let object = element.object, object.count == 2, let id = object["_id"],
                id.string != nil || id.object != nil,
                let to = object["to"]?.int64.flatMap(Int.init(exactly:)), to >= 0
            else {
                findings.add(.type, "A move must be {\"_id\": …, \"to\": n}, where n is an index from 0.", at: part)
                continue
            }
            let member =
                if let values = id.object {
                    reference(values, of: ["_id": id], to: destination, at: part)
                } else {
                    reference(id.string ?? "", to: destination, at: part, in: index)
                }
            if let member { moves.append(MembersEdit.Move(member: member, index: to)) }
        }
        return moves.count == elements.count ? moves : nil
    }
}
