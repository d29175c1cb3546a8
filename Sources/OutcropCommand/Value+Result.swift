// SPDX-License-Identifier: Apache-2.0

// Values of stores in results: in tables, in CSV, and in JSON.

import FoundationEssentials
import JSON
import Predicates
import SourceText

extension Value {
    /// For people. Bytes are shown by their number, and nil as empty.
    func resultText(naming name: (ObjectReference) -> String = { $0.uri }) -> String {
        switch self {
        case .data(let data): Wording.count(data.count, "byte")
        case .reference(let reference): name(reference)
        default: plainText
        }
    }

    /// For programs that read text: the complete value.
    var plainText: String {
        switch self {
        case .null: ""
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): "\(number)"
        case .double(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .decimal(let number): number.description
        case .string(let text), .uri(let text): text
        case .date(let date): date.resultText
        case .data(let data): data.base64EncodedString()
        case .uuid(let uuid): uuid.uuidString
        case .reference(let reference): reference.uri
        case .array, .dictionary: resultJSON.serialized()
        }
    }

    var resultJSON: JSONValue {
        switch self {
        case .null: .null
        case .double(let number): .double(number) ?? .string("\(number)")
        case .date, .data, .reference: .string(plainText)
        case .array(let members): .array(members.map(\.resultJSON))
        case .dictionary(let members):
            .object(JSONObject(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value.resultJSON) }))
        default: JSONValue(self)
        }
    }

    var isNumber: Bool {
        switch self {
        case .integer, .double, .decimal: true
        default: false
        }
    }
}

extension Date {
    /// ISO 8601 in UTC, with microseconds if needed; seconds since 2001 for years outside of its range.
    fileprivate var resultText: String {
        let seconds = timeIntervalSinceReferenceDate
        guard seconds.isFinite else { return "\(seconds)" }
        var whole = seconds.rounded(.down)
        var micros = Int(((seconds - whole) * 1_000_000).rounded())
        if micros == 1_000_000 {
            whole += 1
            micros = 0
        }
        guard let text = Date(timeIntervalSinceReferenceDate: whole).iso8601 else { return "\(seconds)" }
        guard micros > 0 else { return text }
        var fraction = String("\(1_000_000 + micros)".dropFirst())
        while fraction.last == "0" { fraction.removeLast() }
        return "\(text.dropLast()).\(fraction)Z"
    }
}
