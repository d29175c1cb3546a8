// SPDX-License-Identifier: Apache-2.0

// Estimates the width of text without access to a font. The estimates follow the widest of the common system fonts, so
// that text fits its box wherever the picture is opened.

enum TextMetrics {
    /// The width of a text at a font size.
    static func width(of text: String, size: Double, isBold: Bool = false) -> Double {
        let ems = text.unicodeScalars.reduce(0) { $0 + width(of: $1) }
        return (ems * size * (isBold ? 1.12 : 1)).rounded(.up)
    }

    /// The text on one line, truncated with `…` to a width.
    static func fit(_ text: String, width limit: Double, size: Double, isBold: Bool = false) -> String {
        // No text that fits is longer, except with unbounded combining marks.
        let longest = 200
        let start = printable(text.unicodeScalars.prefix(longest + 1))
        if start.unicodeScalars.count <= longest, width(of: start, size: size, isBold: isBold) <= limit { return start }
        var ems = width(of: "…")
        let most = limit / (size * (isBold ? 1.12 : 1))
        var fitting = ""
        for character in start {
            ems += character.unicodeScalars.reduce(0) { $0 + width(of: $1) }
            guard ems <= most, fitting.unicodeScalars.count + character.unicodeScalars.count <= longest else { break }
            fitting.append(character)
        }
        return fitting + "…"
    }

    /// The text without line breaks and characters that XML can't contain.
    static func printable(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        for scalar in scalars {
            switch scalar.value {
            case 0x09, 0x0A, 0x0D, 0x85, 0x2028, 0x2029: text.append(" ")
            case 0..<0x20, 0x7F..<0xA0, 0xFFFE, 0xFFFF: text.append("\u{FFFD}")
            default: text.append(scalar)
            }
        }
        return String(text)
    }

    /// The width of a scalar in ems.
    private static func width(of scalar: Unicode.Scalar) -> Double {
        switch scalar {
        case "i", "j", "l", "I", "'", "|", ".", ",", ":", ";", "!", " ", "/": 0.36
        case "f", "r", "t", "(", ")", "[", "]", "\"", "-", "{", "}": 0.43
        case "m", "M", "W", "@", "%": 0.98
        case "w", "…", "+", "=", "<", ">": 0.84
        case "c", "k", "s", "v", "x", "y", "z", "*", "_", "?": 0.59
        case "O", "Q", "D", "G", "H", "N", "U", "&": 0.79
        case "A"..."Z": 0.70
        case "\u{21}"..."\u{7E}": 0.64
        case "\u{300}"..."\u{36F}", "\u{200B}"..."\u{200F}", "\u{FE00}"..."\u{FE0F}": 0
        case "\u{1100}"..."\u{11FF}", "\u{2E80}"..."\u{D7FF}", "\u{F900}"..."\u{FAFF}", "\u{FF00}"..."\u{FF60}": 1.05
        case "\u{10000}"...: 1.3
        default: 0.72
        }
    }
}
