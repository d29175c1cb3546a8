// SPDX-License-Identifier: Apache-2.0

// Placeholders: `%@`, `%K` and printf's conversions.

extension Lexer {
    /// `%@`, `%K`, `%ld`, `%5$@`; `%%` is the modulus operator.
    mutating func placeholder() throws(FormatError) -> Token.Kind {
        let start = position
        position += 1
        if peek() == UInt8(ascii: "%") {
            position += 1
            return .symbol(.modulus)
        }
        let explicit = try explicitIndex(start: start)
        while let byte = peek(), Self.lengthModifiers.contains(byte) { position += 1 }
        guard let conversion = peek() else { throw unknownConversion(start) }
        position += 1
        if conversion == UInt8(ascii: "K") { return .keyArgument(explicit ?? nextArgument()) }
        guard let kind = Self.conversions[conversion] else { throw unknownConversion(start) }
        if conversion == UInt8(ascii: "u") { skipSecondConversion() }
        return .argument(FormatArgument(index: explicit ?? nextArgument(), kind: kind))
    }

    /// Skips the `d` of `%lud`, which apps write. A name can't follow a placeholder.
    private mutating func skipSecondConversion() {
        guard peek() == UInt8(ascii: "d") else { return }
        if let byte = peek(1), Self.continuesName(byte) { return }
        position += 1
    }

    private mutating func nextArgument() -> Int {
        defer { argumentCount += 1 }
        return argumentCount
    }

    /// The zero-based index for the `2$` of `%2$@`.
    private mutating func explicitIndex(start: Int) throws(FormatError) -> Int? {
        guard let byte = peek(), Self.isDigit(byte) else { return nil }
        let digits = position
        while let byte = peek(), Self.isDigit(byte) { position += 1 }
        guard peek() == UInt8(ascii: "$"), let number = Int(text(from: digits, to: position)),
            (1...9_999).contains(number)
        else { throw unknownConversion(start) }
        position += 1
        return number - 1
    }

    private func unknownConversion(_ start: Int) -> FormatError {
        FormatError(
            .malformed,
            at: start,
            message: "There is no placeholder “\(String(decoding: bytes[start...].prefix(3), as: UTF8.self))”.",
            hint: "%@ takes any value, %K a key path, %d an integer, %f a number; %% is the modulus operator."
        )
    }

    private static let lengthModifiers = Set("hlqLzjt".utf8)

    private static let conversions: [UInt8: FormatArgument.Kind] = {
        var conversions: [UInt8: FormatArgument.Kind] = [
            UInt8(ascii: "@"): .any, UInt8(ascii: "s"): .string, UInt8(ascii: "c"): .character,
        ]
        for letter in "dDiuUxXoO".utf8 { conversions[letter] = .integer }
        for letter in "fFeEgGaA".utf8 { conversions[letter] = .float }
        return conversions
    }()
}
