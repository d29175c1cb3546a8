// SPDX-License-Identifier: Apache-2.0

// Why a format string is no predicate or expression, told so that its author can mend it.

/// An error in a format string or in what was handed along with it.
public struct FormatError: Error, Hashable, Sendable {
    /// What kind of error it is. Codes are stable; more may come.
    @nonexhaustive
    public enum Code: String, CaseIterable, Hashable, Sendable {
        /// Something else was expected where this stands.
        case unexpected
        /// A string, number, name or escape that is not well formed.
        case malformed
        /// A function or operator that the language doesn't have.
        case unknown
        /// Something that Core Data has and that is refused here.
        case unsupported
        /// A function got too few or too many operands.
        case operandCount
        /// Too long, too deep, or too many terms.
        case limit
        /// Too few, too many or unfit arguments for the format's placeholders.
        case argument
    }

    public let code: Code
    /// Where in the format it is, in UTF-8 bytes from the start; nil where the error is not of one place.
    public let offset: Int?
    /// What would have been right there.
    public let expected: String?
    /// What stands there instead.
    public let found: String?
    /// The whole in one sentence.
    public let message: String
    /// How to mend it, where that can be guessed.
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
