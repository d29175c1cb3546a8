// SPDX-License-Identifier: Apache-2.0

// Reads changes of one property from a body.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import SourceText

extension BodyReader {
    mutating func change(
        _ json: JSONValue,
        of property: ResourceProperty,
        at place: BodyPosition,
        in index: Int
    ) -> PropertyWrite.Change? {
        switch property.property {
        case .attribute(let attribute): return change(json, of: attribute, property, at: place, in: index)
        case .relationship(let relationship) where relationship.isToMany:
            return members(json, of: relationship, at: place, in: index)
        case .relationship(let relationship):
            guard !json.isNull else { return .toOne(nil) }
            let destination = catalogue.destination(of: relationship)
            return reference(json, to: destination, at: place, in: index).map { .toOne($0) }
        case .fetched: return nil
        }
    }

    private mutating func change(
        _ json: JSONValue,
        of attribute: AttributeDescription,
        _ property: ResourceProperty,
        at place: BodyPosition,
        in index: Int
    ) -> PropertyWrite.Change? {
        if attribute.type.isNumber, let object = json.object {
            return increment(object, of: attribute, named: property.name, at: place).map { .increment($0) }
        }
        if attribute.type == .binary, json["href"] != nil, let location = writes[index].location {
            // The path that a response has instead of the bytes.
            if json["href"]?.string.map({ isHref($0, of: property.name, at: location) }) ?? false { return .keep }
        }
        if case .update = writes[index].action, !attribute.elements.isEmpty, let object = json.object {
            return elements(object, of: attribute, at: place).map { .merge($0) }
        }
        return attribute.value(from: json, at: place, into: &findings, isForObject: true)
            .map { .value(property.stored($0)) }
    }

    /// Whether a path is that of a property's bytes, inside or outside of the editing context. It names the object by
    /// its own entity, even if the request names a superentity.
    private func isHref(_ path: String, of name: String, at location: ObjectLocation) -> Bool {
        let path = path.hasPrefix(catalogue.path) ? "/api/" + path.dropFirst(catalogue.path.count) : path
        guard path.hasPrefix("/api/"), let target = try? RequestTarget(path), target.rawQuery == nil,
            target.segments.count == 4, let resource = catalogue.resource(named: target.segments[1])
        else { return false }
        return resource.entity.rootIndex == location.resource.entity.rootIndex && target.segments[2] == location.key
            && target.segments[3] == name
    }

    /// The amount to add to a number.
    private mutating func increment(
        _ object: JSONObject,
        of attribute: AttributeDescription,
        named name: String,
        at place: BodyPosition
    ) -> Value? {
        guard object.count == 1, let amount = object["$inc"], !amount.isNull else {
            findings.add(
                .type,
                "\(name) takes a number, or {\"$inc\": n} to add to it.",
                hint: Spelling.hint(for: object.names.first ?? "", among: ["$inc"]),
                at: place
            )
            return nil
        }
        return attribute.value(from: amount, at: place.part("$inc", amount), into: &findings)
    }

    /// The elements of a composite in a merge patch; nested composites are merged likewise.
    private mutating func elements(
        _ object: JSONObject,
        of attribute: AttributeDescription,
        at place: BodyPosition
    ) -> [String: ElementChange]? {
        var changes: [String: ElementChange] = [:]
        for member in object.members {
            guard let element = attribute.element(named: member, at: place, into: &findings) else { continue }
            let inner = place.member(member.name, member.value)
            if !element.elements.isEmpty, let object = member.value.object {
                changes[element.name] = elements(object, of: element, at: inner).map { .merge($0) }
            } else if element.type.isNumber, let object = member.value.object {
                changes[element.name] = increment(object, of: element, named: element.name, at: inner).map {
                    .increment($0)
                }
            } else {
                changes[element.name] =
                    element.value(from: member.value, at: inner, into: &findings, isForObject: true).map { .value($0) }
            }
        }
        return changes.count == object.count ? changes : nil
    }
}

extension AttributeType {
    var isNumber: Bool {
        switch self {
        case .int16, .int32, .int64, .decimal, .double, .float: true
        default: false
        }
    }
}
