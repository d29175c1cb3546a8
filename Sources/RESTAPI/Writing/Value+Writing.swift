// SPDX-License-Identifier: Apache-2.0

// Derives new values from old ones.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SourceText

extension AttributeDescription {
    /// The value to store in the place of another. If a value, or a part of it, is what a response shows of the stored
    /// one, that is kept. Nil if bytes that only the app can read would be set to something else.
    func value(_ value: Value, inPlaceOf stored: Value) -> Value? {
        if value == .null || value == stored { return value }
        switch (type, value, stored) {
        case (.date, .date(let date), .date(let other)): return date.isShown(of: other) ? stored : value
        case (.composite, .dictionary(var members), _):
            var others: [String: Value] = [:]
            if case .dictionary(let present) = stored { others = present }
            for element in elements {
                guard let member = members[element.name] else { continue }
                guard let kept = element.value(member, inPlaceOf: others[element.name] ?? .null) else { return nil }
                members[element.name] = kept
            }
            return .dictionary(members)
        case (.transformable, .data, _): return value
        case (.transformable, _, .data): return value.bytes
        case (.transformable, _, .null): return isTransformedByApp ? value.bytes : value
        case (.transformable, _, _): return value.ofKind(of: stored)
        default: return value
        }
    }
}

extension Value {
    /// The bytes of base64 text.
    fileprivate var bytes: Value? {
        guard case .string(let text) = self else { return nil }
        return Data(base64Encoded: text).map(Value.data)
    }

    /// The value of JSON as the same kind of value as the stored one; parts that can't have that kind are unchanged.
    /// Stored dates may be more precise than shown ones.
    fileprivate func ofKind(of stored: Value) -> Value {
        switch (self, stored) {
        case (.string(let text), .date(let other)):
            Date(rfc3339: text).map { $0.isShown(of: other) ? stored : .date($0) } ?? self
        case (.string, .data): bytes ?? self
        case (.string(let text), .decimal):
            if case .number(let number) = Decimal.reading(text) { .decimal(number) } else { self }
        case (.string(let text), .uuid): UUID(uuidString: text).map(Value.uuid) ?? self
        case (.string(let text), .uri): .uri(text)
        case (.string(let text), .reference(let other)) where text == other.uri: stored
        case (.integer(let number), .double):
            Int64(exactly: Double(number)) == number ? .double(Double(number)) : self
        case (.integer, .date(let other)), (.double, .date(let other)): isNumber(of: other) ? stored : self
        case (.null, .double(let other)) where !other.isFinite: stored
        case (.array(let members), .array(let others)):
            .array(members.enumerated().map { $1.ofKind(of: $0 < others.count ? others[$0] : .null) })
        case (.dictionary(let members), .dictionary(let others)):
            .dictionary(Dictionary(uniqueKeysWithValues: members.map { ($0, $1.ofKind(of: others[$0] ?? .null)) }))
        default: self
        }
    }

    /// Whether a date is shown as this number because it has no text.
    private func isNumber(of date: Date) -> Bool {
        guard DateText.text(date) == nil else { return false }
        return switch self {
        case .integer(let number): Double(number) == date.timeIntervalSinceReferenceDate
        case .double(let number): number == date.timeIntervalSinceReferenceDate
        default: false
        }
    }

    /// The sum, with null as zero; nil if it overflows.
    func adding(_ amount: Value, for attribute: AttributeDescription) -> Value? {
        switch (self, amount) {
        case (.null, _): return amount
        case (.integer(let number), .integer(let other)):
            let (sum, isTooLarge) = number.addingReportingOverflow(other)
            return isTooLarge ? nil : attribute.accepting(.integer(sum))
        case (.double(let number), .double(let other)):
            let sum = number + other
            return sum.isFinite ? attribute.accepting(.double(sum)) : nil
        case (.decimal(let number), .decimal(let other)):
            let sum = number + other
            // If subtracting doesn't give back the old value, digits were lost.
            return !sum.isNaN && sum - other == number && sum - number == other ? .decimal(sum) : nil
        default: return nil
        }
    }
}

extension [String: ElementChange] {
    /// A composite's value with changed elements; nil if a sum overflows.
    func merged(
        over old: Predicates.Value,
        of attribute: AttributeDescription
    ) -> Predicates.Value? {
        var members: [String: Predicates.Value] = [:]
        if case .dictionary(let present) = old { members = present }
        for (name, change) in self {
            guard let element = attribute.elements.first(where: { $0.name == name }) else { continue }
            let old = members[name] ?? .null
            let new: Predicates.Value? =
                switch change {
                case .value(let value): value
                case .increment(let amount): old.adding(amount, for: element)
                case .merge(let changes): changes.merged(over: old, of: element)
                }
            guard let new else { return nil }
            members[name] = new
        }
        return .dictionary(members)
    }
}
