// SPDX-License-Identifier: Apache-2.0

// Text from elsewhere as it can be shown.

extension String {
    /// The text without characters that could play tricks with a terminal: these are written as `\u{1b}`.
    ///
    /// Joiners stay, which letters and emoji are made of.
    ///
    /// - Parameter keepingLineBreaks: Whether a line feed stays.
    public func printable(keepingLineBreaks: Bool = false) -> String {
        let isShown = { (scalar: Unicode.Scalar) in !scalar.playsTricks || keepingLineBreaks && scalar == "\n" }
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
    fileprivate var playsTricks: Bool {
        if isASCII { return value < 0x20 || value == 0x7F }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        case .format: return !(0x200C...0x200D).contains(value) && !(0xE0020...0xE007F).contains(value)
        default: return false
        }
    }
}
