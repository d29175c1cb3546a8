// SPDX-License-Identifier: Apache-2.0

// Names and texts of a model in TypeScript.

extension String {
    /// A string literal.
    var quoted: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            // JavaScript takes the last two for ends of lines.
            case "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// The name of a member, which may be any word, in quotes where it isn't an identifier.
    var asKey: String { isIdentifier ? self : quoted }

    /// The name of a member in an object, where `__proto__` would set the prototype.
    var asValueKey: String { self == "__proto__" ? "[\(quoted)]" : asKey }

    /// Whether it is an identifier in ASCII. Keywords are identifiers: members may have their names.
    var isIdentifier: Bool {
        guard let first = utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
        return utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }

    /// The text within a comment: on one line, and without the end of one.
    var asComment: String {
        var text = ""
        for scalar in unicodeScalars {
            let isBreak = scalar.value < 0x20 || scalar == "\u{7F}" || scalar == "\u{2028}" || scalar == "\u{2029}"
            text.unicodeScalars.append(isBreak ? " " : scalar)
        }
        return text.replacing("*/", with: "*\\/")
    }

    /// The name of a property in the API, where a leading underscore is doubled.
    var inAPI: String { hasPrefix("_") ? "_" + self : self }

    /// The name as a type: with underscores in the place of other characters.
    var asTypeName: String {
        var name = ""
        for scalar in unicodeScalars {
            let isStart = scalar == "_" || scalar.properties.isXIDStart
            if name.isEmpty, !isStart, scalar.properties.isXIDContinue { name = "_" }
            name.unicodeScalars.append(isStart || scalar.properties.isXIDContinue ? scalar : "_")
        }
        return name.isEmpty ? "_" : name
    }
}

extension [String] {
    /// The members of an object or of an object type on one line, or on a line for each if that would be too long.
    func inBraces(_ separator: String, after head: String = "", indent: Int = 0) -> String {
        guard !isEmpty else { return head + "{}" }
        let line = "\(head){ \(joined(separator: separator + " ")) }"
        let isMultiline = contains { $0.contains("\n") }
        guard isMultiline || indent + line.count > 110 else { return line }
        let margin = String(repeating: " ", count: indent)
        return ([head + "{"] + map { "\(margin)  \($0)\(separator)" } + [margin + "}"]).joined(separator: "\n")
    }

    /// The alternatives of a type, or `never`.
    var asUnion: String { isEmpty ? "never" : joined(separator: " | ") }
}
