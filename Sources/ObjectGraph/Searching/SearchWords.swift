// SPDX-License-Identifier: Apache-2.0

// Splits texts into words by one rule for all stores, independent of any tokenizer.

import Predicates

/// The searchable words of a text.
///
/// A word is a run of letters and numbers with their marks, folded as `[cd]` folds texts; an ideograph or a Japanese
/// kana is a word by itself, so that texts without spaces are searchable. Ignorable characters within a word are
/// skipped. Words are cut at 200 bytes, and texts at a mebibyte, since a save waits for the words of its texts.
package enum SearchWords {
    struct Word {
        let range: Range<String.Index>
        let folded: [UInt8]
    }

    private static let longest = 200
    /// The last byte at which a word may begin.
    package static let textLimit = 1 << 20

    /// The folded words of a text as UTF-8, separated by spaces.
    package static func folded(_ text: String) -> [UInt8] {
        if let folded = foldedASCII(text) { return folded }
        return Array(words(in: text).map(\.folded).joined(separator: CollectionOfOne(space)))
    }

    static func words(in text: String) -> [Word] {
        var reader = Reader()
        let scalars = text.unicodeScalars
        let end = text.utf8.index(text.startIndex, offsetBy: textLimit, limitedBy: text.endIndex) ?? text.endIndex
        var index = scalars.startIndex
        while index < end {
            let next = scalars.index(after: index)
            reader.take(scalars[index], index..<next)
            index = next
        }
        reader.end()
        return reader.words
    }

    package static let space = UInt8(ascii: " ")

    /// Nil unless the text is ASCII, in which folding never expands a character.
    private static func foldedASCII(_ text: String) -> [UInt8]? {
        let bytes = text.utf8.span.extracting(first: textLimit)
        var folded: [UInt8] = []
        folded.reserveCapacity(bytes.count)
        var length = 0
        for index in bytes.indices {
            let byte = bytes[index]
            if byte >= 0x80 { return nil }
            guard let letter = byte.foldedASCIILetter else {
                length = 0
                continue
            }
            if length == 0, !folded.isEmpty { folded.append(space) }
            length += 1
            if length <= longest { folded.append(letter) }
        }
        return folded
    }

    /// Assembles words scalar by scalar.
    private struct Reader {
        var words: [Word] = []
        private var word = String.UnicodeScalarView()
        private var range: Range<String.Index>?
        /// Whether the word is a single sign.
        private var isWhole = false

        mutating func take(_ scalar: Unicode.Scalar, _ place: Range<String.Index>) {
            switch Kind(scalar) {
            case .letter:
                if isWhole { end() }
                append(scalar, place)
            case .sign:
                end()
                append(scalar, place)
                isWhole = true
            case .mark: if range != nil { append(scalar, place) }
            case .ignored: break
            case .separator: end()
            }
        }

        mutating func end() {
            if let range {
                let folded = SearchWords.bytes(of: Text.canonical(String(word)))
                if !folded.isEmpty { words.append(Word(range: range, folded: folded)) }
            }
            word = String.UnicodeScalarView()
            range = nil
            isWhole = false
        }

        private mutating func append(_ scalar: Unicode.Scalar, _ place: Range<String.Index>) {
            word.append(scalar)
            range = (range?.lowerBound ?? place.lowerBound)..<place.upperBound
        }
    }

    /// Characters that no tokenizer splits: lowercase ASCII letters and digits, and all beyond ASCII.
    private static func bytes(of folded: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for scalar in folded.unicodeScalars {
            guard bytes.count + scalar.utf8.count <= longest else { break }
            if scalar.isASCII {
                if let letter = UInt8(scalar.value).foldedASCIILetter { bytes.append(letter) }
            } else {
                bytes += scalar.utf8
            }
        }
        return bytes
    }

    private enum Kind {
        case letter, sign, mark, ignored, separator

        init(_ scalar: Unicode.Scalar) {
            if scalar.isASCII {
                self = UInt8(scalar.value).foldedASCIILetter == nil ? .separator : .letter
                return
            }
            let properties = scalar.properties
            if properties.isDefaultIgnorableCodePoint {
                self = .ignored
                return
            }
            switch properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
                .letterNumber, .otherNumber:
                self = properties.isIdeographic || Self.isKana(scalar.value) ? .sign : .letter
            case .nonspacingMark, .spacingMark, .enclosingMark: self = .mark
            default: self = .separator
            }
        }

        private static func isKana(_ value: UInt32) -> Bool {
            (0x3040...0x30FF).contains(value) || (0x31F0...0x31FF).contains(value) || (0xFF66...0xFF9F).contains(value)
        }
    }
}

extension UInt8 {
    /// The lowercase letter or digit, or nil.
    fileprivate var foldedASCIILetter: UInt8? {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): self
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): self | 0x20
        default: nil
        }
    }
}
