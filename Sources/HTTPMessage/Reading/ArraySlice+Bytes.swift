// SPDX-License-Identifier: Apache-2.0

// Parsing of a head's bytes without creating strings.

extension ArraySlice<UInt8> {
    /// Whether the bytes equal a lowercase word, ignoring case.
    func equalsIgnoringCase(_ word: String) -> Bool {
        let own = span
        let word = word.utf8.span
        guard own.count == word.count else { return false }
        for index in own.indices where own[index].lowercased != word[index] { return false }
        return true
    }

    /// The end of the token at the beginning of the bytes.
    var tokenEnd: Int {
        let own = span
        var length = 0
        while length < own.count, own[length].isToken { length += 1 }
        return startIndex + length
    }

    /// The bytes as a string; nil if they aren't UTF-8.
    var text: String? {
        // A fast path: most are ASCII.
        allSatisfy { $0 < 0x80 } ? String(decoding: self, as: UTF8.self) : String(validating: self, as: UTF8.self)
    }

    /// Without leading and trailing spaces and tabs.
    var trimmed: ArraySlice {
        var start = startIndex
        var end = endIndex
        while start < end, self[start].isBlank { start += 1 }
        while start < end, self[end - 1].isBlank { end -= 1 }
        return self[start..<end]
    }

    /// The value of a decimal number; nil if empty, malformed or too large.
    var decimal: Int? {
        guard !isEmpty else { return nil }
        var number = 0
        for byte in self {
            guard byte.isDigit else { return nil }
            let (tens, overflows) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = tens.addingReportingOverflow(Int(byte &- 0x30))
            guard !overflows, !overflowsToo else { return nil }
            number = sum
        }
        return number
    }

    /// Whether the bytes are a host with an optional port: a name, an IPv4 address, or an IPv6 address in brackets.
    var isAuthority: Bool {
        var index = startIndex
        if first == UInt8(ascii: "[") {
            guard let end = firstIndex(of: UInt8(ascii: "]")), end > index + 1 else { return false }
            let address = self[(index + 1)..<end]
            guard address.allSatisfy({ $0.hexadecimalDigit != nil || $0 == .colon || $0 == UInt8(ascii: ".") }) else {
                return false
            }
            index = end + 1
        } else {
            while index < endIndex, self[index].isUnreserved { index += 1 }
            guard index > startIndex else { return false }
        }
        guard index < endIndex else { return true }
        let port = self[(index + 1)...]
        return self[index] == .colon && (port.isEmpty || port.decimal.map { $0 <= 65535 } ?? false)
    }
}
