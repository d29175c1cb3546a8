// SPDX-License-Identifier: Apache-2.0

/// An error in a format string or its arguments.
public struct FormatError: Error, Hashable, Sendable {
    /// The kind of an error. Codes are stable; more may be added.
    @nonexhaustive
    public enum Code: String, CaseIterable, Hashable, Sendable {
        /// Something else was expected here.
        case unexpected
        /// A malformed string, number, name or escape.
        case malformed
        /// An unknown function or operator.
        case unknown
        /// A feature of Core Data that isn't supported.
        case unsupported
        /// A function has too few or too many operands.
        case operandCount
        /// The format is too long, too deep or has too many terms.
        case limit
        /// Too few, too many or unsuitable arguments for the placeholders.
        case argument
    }

    public let code: Code
    /// The position in the format in UTF-8 bytes, or nil if the error has none.
    public let offset: Int?
    /// What was expected at the position.
    public let expected: String?
    /// What was found instead.
    public let found: String?
    /// The complete message in one sentence.
    public let message: String
    /// A suggested correction.
    public let hint: String?

    init(
        _ code: Code,
        at offset: Int?,
        expected: String? = nil,
        found: String? = nil,
        message: String,
        hint: String? = nil
    ) {
        self.code = code
        self.offset = offset
        self.expected = expected
        self.found = found
        self.message = message
        self.hint = hint
    }

    static func expected(_ expected: String, found: String, at offset: Int, hint: String? = nil) -> FormatError {
        FormatError(
            .unexpected,
            at: offset,
            expected: expected,
            found: found,
            message: "Expected \(expected), but found \(found).",
            hint: hint
        )
    }
}

extension FormatError: CustomStringConvertible {
    public var description: String {
        let place = offset.map { " At byte \($0)." } ?? ""
        return message + place + (hint.map { " \($0)" } ?? "")
    }
}
