// SPDX-License-Identifier: Apache-2.0

// Values of attributes from the JSON that clients send.

import FoundationEssentials
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import SourceText

extension AttributeDescription {
    /// The value that JSON stands for; nil where it stands for none that the attribute can have, which the findings tell then.
    ///
    /// - Parameter isForObject: Whether `value(_:inPlaceOf:)` is to say what is made of a transformable value, knowing the one that
    ///   is there.
    func value(
        from json: JSONValue,
        at place: BodyPosition,
        into findings: inout Findings,
        isForObject: Bool = false
    ) -> Value? {
        switch (type, json.kind) {
        case (_, .null): return .null
        case (.int16, .number(let number)), (.int32, .number(let number)), (.int64, .number(let number)):
            return integer(number, at: place, into: &findings)
        case (.double, .number(let number)):
            return number.double.map(Value.double) ?? tooLarge(number, at: place, into: &findings)
        case (.float, .number(let number)):
            return number.double.flatMap { accepting(.double($0)) } ?? tooLarge(number, at: place, into: &findings)
        case (.decimal, .number(let number)): return decimal(number.text, place, &findings)
        case (.decimal, .string(let text)): return decimal(text, place, &findings)
        case (.bool, .bool(let flag)): return .bool(flag)
        case (.string, .string(let text)): return .string(text)
        case (.uri, .string(let text)): return .uri(text)
        case (.date, .string(let text)):
            return (Date(rfc3339: text) ?? Date(day: text)).map(Value.date)
                ?? refuse(json, expecting: expected, at: place, into: &findings)
        case (.date, .number(let number)): return date(number, place, &findings)
        case (.uuid, .string(let text)):
            return UUID(uuidString: text).map(Value.uuid)
                ?? refuse(
                    json,
                    expecting: "a UUID such as 0d9f1c3e-6c3a-4bd3-8f6f-2f1d6d1e7a10",
                    at: place,
                    into: &findings
                )
        case (.binary, .string(let text)):
            return Data(base64Encoded: text).map(Value.data)
                ?? refuse(json, expecting: "bytes in base64", at: place, into: &findings)
        case (.transformable, _):
            let value = anyValue(json, into: &findings) { place }
            guard let value, !isForObject else { return value }
            if let value = self.value(value, inPlaceOf: .null) { return value }
            findings.add(.type, bytesMessage(place.property ?? name), at: place)
            return nil
        case (.composite, .object(let object)): return composite(object, place, &findings, isForObject)
        case (.objectID, _), (.undefined, _):
            findings.add(.readOnly, "\(name) can't be written.", at: place)
            return nil
        default: return refuse(json, expecting: expected, at: place, into: &findings)
        }
    }

    /// What the attribute takes, for messages.
    private var expected: String {
        switch type {
        case .int16, .int32, .int64: "an integer"
        case .double, .float: "a number"
        case .decimal: "a decimal number, preferably as a string"
        case .bool: "true or false"
        case .date: "a date such as 2026-11-21T09:30:00.25Z or 2026-11-21"
        case .uuid: "a UUID"
        case .uri: "a URI as a string"
        case .binary: "bytes in base64"
        case .composite: "an object with \(elements.map { ResourceProperty.name(of: $0.name) }.joined(separator: ", "))"
        case .string, .transformable, .objectID, .undefined: "a string"
        }
    }

    /// What is said where the bytes of a transformable value are asked to be something else.
    func bytesMessage(_ name: String) -> String {
        "\(name) holds bytes that only the app can interpret, and takes bytes in base64, or null."
    }

    private func refuse(
        _ json: JSONValue,
        expecting expected: String,
        at place: BodyPosition,
        into findings: inout Findings
    ) -> Value? {
        findings.add(.type, "\(place.property ?? name) takes \(expected), not \(json.summary).", at: place)
        return nil
    }

    private func tooLarge(_ number: JSONNumber, at place: BodyPosition, into findings: inout Findings) -> Value? {
        let message = "\(place.property ?? name) is of type \(type.name), for which \(number.summary) is too large."
        findings.add(.range, message, at: place)
        return nil
    }

    private func integer(_ number: JSONNumber, at place: BodyPosition, into findings: inout Findings) -> Value? {
        if let whole = number.int64 {
            return accepting(.integer(whole)) ?? tooLarge(number, at: place, into: &findings)
        }
        guard number.isWhole else {
            return refuse(.number(number), expecting: "an integer", at: place, into: &findings)
        }
        return tooLarge(number, at: place, into: &findings)
    }

    private func decimal(_ text: String, _ place: BodyPosition, _ findings: inout Findings) -> Value? {
        switch Decimal.reading(text) {
        case .number(let decimal): return .decimal(decimal)
        case .tooLong:
            findings.add(
                .range,
                "\(place.property ?? name) takes at most 38 digits, and an exponent from -128 to 127.",
                at: place
            )
            return nil
        case .nonNumeric: return refuse(.string(text), expecting: expected, at: place, into: &findings)
        }
    }

    /// Dates that RFC 3339 has no text for come as seconds since 2001, and are taken so.
    private func date(_ number: JSONNumber, _ place: BodyPosition, _ findings: inout Findings) -> Value? {
        guard let seconds = number.double else { return tooLarge(number, at: place, into: &findings) }
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        guard DateText.text(date) == nil else {
            return refuse(.number(number), expecting: expected, at: place, into: &findings)
        }
        return .date(date)
    }

    /// Elements that aren't given are as they are at first.
    private func composite(
        _ object: JSONObject,
        _ place: BodyPosition,
        _ findings: inout Findings,
        _ isForObject: Bool
    ) -> Value? {
        var values: [String: Value] = [:]
        var isComplete = true
        for member in object.members {
            guard let element = element(named: member, at: place, into: &findings) else {
                isComplete = false
                continue
            }
            let inner = place.member(member.name, member.value)
            let value = element.value(from: member.value, at: inner, into: &findings, isForObject: isForObject)
            if let value { values[element.name] = value } else { isComplete = false }
        }
        return isComplete ? accepting(.dictionary(values)) : nil
    }

    /// An element of a composite by the name that bodies have for it.
    func element(
        named member: JSONMember,
        at place: BodyPosition,
        into findings: inout Findings
    ) -> AttributeDescription? {
        let modelName = ResourceProperty.modelName(of: member.name)
        if let element = elements.first(where: { $0.name == modelName }) { return element }
        findings.add(
            .unknown,
            "\(place.property ?? name) has no element “\(member.name.shortened)”.",
            hint: Spelling.hint(for: member.name, among: elements.map { ResourceProperty.name(of: $0.name) }),
            at: place.member(member.name, member.value)
        )
        return nil
    }

    /// Any JSON, for transformers.
    ///
    /// - Parameter place: Where it stands, which is found out only where something is wrong with it.
    private func anyValue(_ json: JSONValue, into findings: inout Findings, at place: () -> BodyPosition) -> Value? {
        switch json.kind {
        case .null: return .null
        case .bool(let flag): return .bool(flag)
        case .string(let text): return .string(text)
        case .number(let number):
            if let whole = number.int64 { return .integer(whole) }
            return number.double.map(Value.double) ?? tooLarge(number, at: place(), into: &findings)
        case .array(let members):
            var values: [Value] = []
            for (offset, member) in members.enumerated() {
                let value = anyValue(member, into: &findings) { place().part("\(offset)", member) }
                if let value { values.append(value) }
            }
            return values.count == members.count ? .array(values) : nil
        case .object(let object):
            var values: [String: Value] = [:]
            for member in object.members {
                values[member.name] = anyValue(member.value, into: &findings) {
                    place().part(member.name, member.value)
                }
            }
            return values.count == object.count ? .dictionary(values) : nil
        }
    }
}

extension JSONValue {
    /// The value itself where it is short, else what kind of value it is.
    var summary: String {
        switch kind {
        case .bool, .null: serialized()
        case .number(let number): number.summary
        case .string(let text) where text.utf8.count <= 40: "“\(text)”"
        case .string, .array, .object: kindName
        }
    }
}

extension JSONNumber {
    var summary: String { text.utf8.count <= 40 ? text : "a number of \(text.utf8.count) characters" }

    /// Whether it is a whole number, be it too large.
    fileprivate var isWhole: Bool { !text.utf8.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") } }
}

extension String {
    /// The text, cut where a message would be nothing but it.
    var shortened: String { utf8.count <= 80 ? self : String(unicodeScalars.prefix(40)) + "…" }
}
