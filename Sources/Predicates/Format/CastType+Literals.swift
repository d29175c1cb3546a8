// SPDX-License-Identifier: Apache-2.0

// Constants that have no literal of their own are written as casts of ones that do: CAST("…", "NSUUID").

import FoundationEssentials

extension CastType {
    /// Whether a cast of that literal is a constant. The other casts are left to the evaluator.
    func isLiteralForm(of value: Value) -> Bool {
        switch (self, value) {
        case (.number, .string), (.data, .string), (.uuid, .string), (.uri, .string), (.reference, .string): true
        case (.decimal, .string), (.decimal, .integer), (.decimal, .double), (.decimal, .decimal): true
        case (.date, .string), (.date, .integer), (.date, .double): true
        case (.dictionary, .array): true
        default: false
        }
    }

    /// The constant that a cast of a literal writes; nil where the literal doesn't give one.
    func constant(from value: Value) -> Value? {
        switch (self, value) {
        case (.number, .string(let text)): Self.number(text)
        case (.decimal, .string(let text)): Self.decimal(text).map(Value.decimal)
        case (.decimal, .integer(let number)): .decimal(Decimal(number))
        case (.decimal, .double(let number)): Self.decimal(number.description).map(Value.decimal)
        case (.decimal, .decimal): value
        case (.date, .integer(let seconds)): .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
        case (.date, .double(let seconds)): .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (.date, .string(let text)): Self.date(text).map(Value.date)
        case (.data, .string(let text)): Data(base64Encoded: text).map(Value.data)
        case (.uuid, .string(let text)): UUID(uuidString: text).map(Value.uuid)
        case (.uri, .string(let text)): .uri(text)
        case (.reference, .string(let text)): .reference(ObjectReference(uri: text))
        case (.dictionary, .array(let members)): Self.dictionary(members)
        default: nil
        }
    }

    var noun: String {
        switch self {
        case .number: "number"
        case .decimal: "decimal number"
        case .string: "string"
        case .date: "date"
        case .data: "base64 text"
        case .uuid: "UUID"
        case .uri: "URI"
        case .dictionary: "list of keys and values in turn"
        case .reference: "object URI"
        }
    }

    var literalHint: String? {
        switch self {
        case .date: "A date is given as seconds since 2001-01-01T00:00:00Z or as \"2026-11-21T09:30:00Z\"."
        case .dictionary: "CAST({\"key\", 1, \"other\", 2}, \"NSDictionary\")"
        default: nil
        }
    }

    private static func number(_ text: String) -> Value? {
        Int64(text).map(Value.integer) ?? Double(text).map(Value.double)
    }

    /// A decimal of which nothing was cut off: all of the text is a number.
    private static func decimal(_ text: String) -> Decimal? {
        let digits = text.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
        guard let first = digits.first, Lexer.isDigit(first), Double(text) != nil else { return nil }
        return Decimal(string: text)
    }

    private static func date(_ text: String) -> Date? {
        if let seconds = Double(text) { return Date(timeIntervalSinceReferenceDate: seconds) }
        return (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle()))
    }

    private static func dictionary(_ members: [Value]) -> Value? {
        guard members.count.isMultiple(of: 2) else { return nil }
        var dictionary: [String: Value] = [:]
        for index in stride(from: 0, to: members.count, by: 2) {
            guard case .string(let key) = members[index], dictionary.updateValue(members[index + 1], forKey: key) == nil
            else { return nil }
        }
        return .dictionary(dictionary)
    }
}

extension Value {
    /// The constant of a number as written.
    init(_ literal: NumberLiteral, isNegative: Bool) {
        switch literal {
        case .integer(let magnitude):
            if let number = Int64(exactly: magnitude) {
                self = .integer(isNegative ? -number : number)
            } else if isNegative, magnitude == Int64.min.magnitude {
                self = .integer(.min)
            } else {
                self = .wide("\(magnitude)", isNegative)
            }
        case .wide(let digits): self = .wide(digits, isNegative)
        case .double(let number): self = .double(isNegative ? -number : number)
        }
    }

    /// An integer of more than 64 bits: exact where a decimal holds its digits, else the nearest double.
    private static func wide(_ digits: String, _ isNegative: Bool) -> Value {
        let text = (isNegative ? "-" : "") + digits
        if digits.count <= 38, let decimal = Decimal(string: text) { return .decimal(decimal) }
        return .double(Double(text) ?? .infinity)
    }
}
