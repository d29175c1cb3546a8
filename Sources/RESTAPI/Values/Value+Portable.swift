// SPDX-License-Identifier: Apache-2.0

// Values as text that is read back as the same value: bytes in base64, dates to the last digit.

import FoundationEssentials
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import SourceText

extension JSONBuffer {
    /// Writes the value of an attribute so that the same is read from it.
    mutating func write(portable value: Value, of attribute: AttributeDescription) {
        switch value {
        case .date(let date):
            if let text = date.exactText { write(string: text) } else { write(date.timeIntervalSinceReferenceDate) }
        case .dictionary(let members) where !attribute.elements.isEmpty:
            write(byte: "{")
            for (offset, element) in attribute.elements.enumerated() {
                if offset > 0 { write(byte: ",") }
                write(string: ResourceProperty.name(of: element.name))
                write(byte: ":")
                write(portable: members[element.name] ?? .null, of: element)
            }
            write(byte: "}")
        default: write(value, of: attribute)
        }
    }
}

extension Value {
    /// The value as the text of a cell; nil for none. What isn't one value, or could be any, is JSON.
    func cellText(of attribute: AttributeDescription?) -> String? {
        if case .null = self { return nil }
        if attribute?.type.isAnyValue != true, let text = plainText { return text }
        var json = JSONBuffer()
        if let attribute { json.write(portable: self, of: attribute) } else { json.write(self) }
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension Value {
    /// The text of a value that JSON has in quotes; nil for others.
    private var plainText: String? {
        switch self {
        case .string(let text), .uri(let text): text
        case .decimal(let number): number.description
        case .date(let date): date.exactText
        case .data(let data): data.base64EncodedString()
        case .uuid(let uuid): uuid.uuidString.lowercased()
        default: nil
        }
    }
}

extension AttributeType {
    /// Whether values may be of any kind.
    fileprivate var isAnyValue: Bool { if case .transformable = self { true } else { false } }
}

extension Date {
    /// The text of RFC 3339 with as many decimals as it takes to mean this very date; nil for one that has no such text.
    var exactText: String? {
        guard let text = DateText.text(self) else { return nil }
        if Date(rfc3339: text) == self { return text }
        let seconds = timeIntervalSinceReferenceDate.rounded(.down)
        let fraction = timeIntervalSinceReferenceDate - seconds
        guard let whole = DateText.text(Date(timeIntervalSinceReferenceDate: seconds)) else { return text }
        for (decimals, factor) in [(9, 1e9), (12, 1e12), (15, 1e15), (18, 1e18)] {
            let digits = "\(Int64((fraction * factor).rounded()))"
            guard digits.utf8.count <= decimals else { continue }
            let zeros = String(repeating: "0", count: decimals - digits.utf8.count)
            let exact = "\(whole.dropLast()).\(zeros)\(digits)Z"
            if Date(rfc3339: exact) == self { return exact }
        }
        return text
    }
}
