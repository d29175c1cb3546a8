// SPDX-License-Identifier: Apache-2.0

// Constants without a literal form are written as casts of literals: CAST("…", "NSUUID").

import FoundationEssentials

extension CastType {
    /// Whether a cast of the literal is a constant. Other casts are evaluated.
    func isLiteralForm(of value: Value) -> Bool {
        switch (self, value) {
        case (.number, .string), (.data, .string), (.uuid, .string), (.uri, .string), (.reference, .string): true
        case (.decimal, .string), (.decimal, .integer), (.decimal, .double), (.decimal, .decimal): true
        case (.date, .string), (.date, .integer), (.date, .double): true
        case (.dictionary, .array): true
        default: false
        }
    }

    /// The constant that a cast of a literal denotes, or nil if the literal is invalid.
    func constant(from value: Value) -> Value? {
        switch (self, value) {
        case (.dictionary, .array(let members)): return Self.dictionary(members)
        // Not the result of any calculation, but possible as constants.
        case (.number, .string("inf")), (.number, .string("-inf")), (.number, .string("nan")),
            (.date, .string("inf")), (.date, .string("-inf")), (.date, .string("nan")):
            guard case .string(let text) = value, let number = Double(text) else { return nil }
            return self == .number ? .double(number) : .date(Date(timeIntervalSinceReferenceDate: number))
        default:
            let constant = value.cast(to: self)
            return constant == .null ? nil : constant
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
        case .date: "Write a date as seconds since 2001-01-01T00:00:00Z or as \"2026-11-21T09:30:00Z\"."
        case .dictionary: "CAST({\"key\", 1, \"other\", 2}, \"NSDictionary\")"
        default: nil
        }
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
    /// Creates the constant of a number literal, or returns nil if it is too large.
    init?(_ literal: NumberLiteral, isNegative: Bool) {
        switch literal {
        case .integer(let magnitude):
            if let number = Int64(exactly: magnitude) {
                self = .integer(isNegative ? -number : number)
            } else if isNegative, magnitude == Int64.min.magnitude {
                self = .integer(.min)
            } else {
                self.init(wide: "\(magnitude)", isNegative)
            }
        case .wide(let digits): self.init(wide: digits, isNegative)
        case .double(let number): self = .double(isNegative ? -number : number)
        }
    }

    /// An integer beyond 64 bits: exact if a decimal can hold its digits, otherwise the nearest double.
    private init?(wide digits: String, _ isNegative: Bool) {
        let text = (isNegative ? "-" : "") + digits
        if digits.utf8.count <= 38, let decimal = Decimal(string: text) {
            self = .decimal(decimal)
        } else if let double = Double(text), double.isFinite {
            self = .double(double)
        } else {
            return nil
        }
    }
}
