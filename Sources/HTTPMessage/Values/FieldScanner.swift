// SPDX-License-Identifier: Apache-2.0

// Parses the values of fields: tokens, quoted strings, parameters and lists.

struct FieldScanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { index == bytes.count }

    /// Reads the members of comma-separated lists. Malformed members are skipped.
    static func members<Member>(
        of values: [String],
        _ read: (inout FieldScanner) -> Member?
    ) -> (members: [Member], isWellFormed: Bool) {
        var members: [Member] = []
        var isWellFormed = true
        members.reserveCapacity(4)
        for value in values {
            var scanner = FieldScanner(value)
            while scanner.skipToMember() {
                let member = read(&scanner)
                scanner.skipBlanks()
                let isWhole = scanner.isAtEnd || scanner.bytes[scanner.index] == .comma
                if isWhole, let member { members.append(member) } else { isWellFormed = false }
                scanner.skipMember()
            }
        }
        return (members, isWellFormed)
    }

    /// Consumes a byte if it is the next one.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    mutating func token() -> String? { text { $0.isToken } }

    /// Consumes the bytes that match; nil if there are none.
    mutating func text(while isWanted: (UInt8) -> Bool) -> String? {
        let start = index
        while index < bytes.count, isWanted(bytes[index]) { index += 1 }
        return start < index ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    mutating func skipBlanks() {
        while index < bytes.count, bytes[index].isBlank { index += 1 }
    }

    /// A token, or the unescaped content of a quoted string.
    mutating func tokenOrQuotedString() -> String? {
        guard skip(.quote) else { return token() }
        var content: [UInt8] = []
        while index < bytes.count, bytes[index] != .quote {
            if bytes[index] == .backslash { index += 1 }
            guard index < bytes.count else { return nil }
            content.append(bytes[index])
            index += 1
        }
        return skip(.quote) ? String(decoding: content, as: UTF8.self) : nil
    }

    /// A token, in lower case.
    mutating func name() -> String? {
        let start = index
        var hasCapitals = false
        while index < bytes.count, bytes[index].isToken {
            hasCapitals = hasCapitals || bytes[index].lowercased != bytes[index]
            index += 1
        }
        guard start < index else { return nil }
        let token = bytes[start..<index]
        return String(decoding: hasCapitals ? token.map(\.lowercased)[...] : token, as: UTF8.self)
    }

    /// `name=value` or only a name; the name is in lower case.
    mutating func parameter(spacesAroundEquals: Bool = false) -> (name: String, value: String?)? {
        guard let name = name() else { return nil }
        let end = index
        if spacesAroundEquals { skipBlanks() }
        guard skip(.equals) else {
            index = end
            return (name, nil)
        }
        if spacesAroundEquals { skipBlanks() }
        return tokenOrQuotedString().map { (name, $0) }
    }

    /// The parameters after semicolons; nil if one is malformed.
    mutating func parameters(spacesAroundEquals: Bool = false) -> [(name: String, value: String?)]? {
        var parameters: [(name: String, value: String?)] = []
        while true {
            skipBlanks()
            guard skip(.semicolon) else { return parameters }
            skipBlanks()
            guard !isAtEnd, bytes[index] != .semicolon, bytes[index] != .comma else { continue }
            guard let parameter = parameter(spacesAroundEquals: spacesAroundEquals) else { return nil }
            parameters.append(parameter)
        }
    }

    /// Skips commas, and returns whether a member follows.
    private mutating func skipToMember() -> Bool {
        while index < bytes.count, bytes[index].isBlank || bytes[index] == .comma { index += 1 }
        return !isAtEnd
    }

    /// Skips to the comma after the current member.
    private mutating func skipMember() {
        while index < bytes.count, bytes[index] != .comma {
            if bytes[index] == .quote { _ = tokenOrQuotedString() } else { index += 1 }
        }
    }
}
