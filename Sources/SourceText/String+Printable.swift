// SPDX-License-Identifier: Apache-2.0

// Safe display of untrusted text.

extension String {
    /// The text with characters that could manipulate a terminal escaped, such as `\u{1b}`.
    ///
    /// Joiners are kept, since letters and emoji consist of them.
    ///
    /// - Parameter keepingLineBreaks: Whether line feeds are kept.
    public func printable(keepingLineBreaks: Bool = false) -> String {
        let isShown = { (scalar: Unicode.Scalar) in !scalar.isDeceptive || keepingLineBreaks && scalar == "\n" }
        if unicodeScalars.allSatisfy(isShown) { return self }
        var text = ""
        for scalar in unicodeScalars {
            if isShown(scalar) {
                text.unicodeScalars.append(scalar)
            } else {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    fileprivate var isDeceptive: Bool {
        if isASCII { return value < 0x20 || value == 0x7F }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        case .format: return !(0x200C...0x200D).contains(value) && !(0xE0020...0xE007F).contains(value)
        default: return false
        }
    }
}
