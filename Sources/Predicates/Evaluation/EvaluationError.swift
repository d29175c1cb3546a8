// SPDX-License-Identifier: Apache-2.0

/// The reason why a predicate or an expression couldn't be evaluated.
public struct EvaluationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error. Codes are stable; more may be added.
    @nonexhaustive
    public enum Code: String, CaseIterable, Hashable, Sendable {
        /// A key path names a property that the object doesn't have.
        case unknownKey
        /// A variable has no value.
        case unboundVariable
        /// A placeholder has no value.
        case unsubstitutedArgument
        /// A collection is used where a single value is required.
        case toManyNotAllowed
        /// An operation doesn't accept the kind of a value.
        case wrongKind
        /// A function has too few or too many operands.
        case wrongArgumentCount
        /// The right side of `MATCHES` is not a valid regular expression.
        case invalidRegularExpression
        /// Matching a pattern took too long.
        case patternTooExpensive
        /// The predicate is nested too deeply.
        case tooDeep
        /// A key path or a function yields more members than the limit.
        case tooManyMembers
    }

    public let code: Code
    public let message: String
    /// The key, the variable or the pattern that the error is about.
    public let subject: String?

    public var description: String { message }
}

extension EvaluationError {
    static func unknownKey(_ key: String) -> EvaluationError {
        EvaluationError(code: .unknownKey, message: "There is no property named “\(key)”.", subject: key)
    }

    static func unboundVariable(_ name: String) -> EvaluationError {
        EvaluationError(code: .unboundVariable, message: "The variable $\(name) has no value.", subject: name)
    }

    static func unsubstitutedArgument(_ index: Int) -> EvaluationError {
        EvaluationError(
            code: .unsubstitutedArgument,
            message: "Format argument \(index + 1) was not replaced by a value.",
            subject: nil
        )
    }

    static func toManyNotAllowed(in operation: String) -> EvaluationError {
        EvaluationError(
            code: .toManyNotAllowed,
            message:
                "A to-many key isn't allowed in \(operation); use ANY, ALL, SUBQUERY or an operator such as @count.",
            subject: operation
        )
    }

    static func wrongKind(_ kind: String, in operation: String) -> EvaluationError {
        EvaluationError(code: .wrongKind, message: "\(operation) can't be applied to \(kind).", subject: operation)
    }

    static func wrongArgumentCount(_ count: Int, of function: Function) -> EvaluationError {
        EvaluationError(
            code: .wrongArgumentCount,
            message: "\(function.rawValue) doesn't take \(count) arguments.",
            subject: function.rawValue
        )
    }

    static func invalidRegularExpression(_ pattern: String, reason: String) -> EvaluationError {
        EvaluationError(
            code: .invalidRegularExpression,
            message: "MATCHES has an invalid regular expression: \(reason)",
            subject: pattern
        )
    }

    static func patternTooExpensive(_ pattern: String) -> EvaluationError {
        EvaluationError(
            code: .patternTooExpensive,
            message: "Matching took too long and was stopped; simplify the pattern.",
            subject: pattern
        )
    }

    static func tooDeep(limit: Int) -> EvaluationError {
        EvaluationError(
            code: .tooDeep,
            message: "The predicate is nested more than \(limit) levels deep.",
            subject: nil
        )
    }

    static func tooManyMembers(limit: Int) -> EvaluationError {
        EvaluationError(
            code: .tooManyMembers,
            message:
                "The predicate follows keys to more than \(limit) objects or values at once; follow fewer to-many keys.",
            subject: nil
        )
    }
}
