// SPDX-License-Identifier: Apache-2.0

// What is asked of the bytes of a head without making strings of them.

extension ArraySlice<UInt8> {
    /// Whether the bytes are a word, in upper or lower case; the word is given in lower case.
    func spells(_ word: String) -> Bool {
        let (own, word) = (span, word.utf8.span)
        guard own.count == word.count else { return false }
        for index in own.indices where own[index].lowercased != word[index] { return false }
        return true
    }

    /// Where the token ends that the bytes begin with.
    var tokenEnd: Int {
        let own = span
        var length = 0
        while length < own.count, own[length].isToken { length += 1 }
        return startIndex + length
    }

    /// The bytes as a text; nil where they are not UTF-8.
    var text: String? {
        // Nearly all are ASCII, which needs no second look.
        allSatisfy { $0 < 0x80 } ? String(decoding: self, as: UTF8.self) : String(validating: self, as: UTF8.self)
    }

    /// Without the spaces and tabs around it.
    var trimmed: ArraySlice {
        var (start, end) = (startIndex, endIndex)
        while start < end, self[start].isBlank { start += 1 }
        while start < end, self[end - 1].isBlank { end -= 1 }
        return self[start..<end]
    }

    /// The number that the bytes are the decimal digits of; nil where there is none, something else, or one too large.
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

    /// Whether the bytes name a host, with or without a port: a name, an IPv4 address, or an IPv6 address in brackets.
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
