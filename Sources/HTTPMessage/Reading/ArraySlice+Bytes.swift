// SPDX-License-Identifier: Apache-2.0

// What is asked of the bytes of a head without making strings of them.

extension ArraySlice<UInt8> {
    /// Whether the bytes are a word, in upper or lower case; the word is given in lower case.
    func spells(_ word: String) -> Bool {
        let word = word.utf8
        guard count == word.count else { return false }
        var index = startIndex
        for byte in word {
            guard self[index].lowercased == byte else { return false }
            index += 1
        }
        return true
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
