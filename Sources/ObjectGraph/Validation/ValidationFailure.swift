// SPDX-License-Identifier: Apache-2.0

// Failures of validation.

public import Predicates

/// One reason why an object can't be saved.
public struct ValidationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, with Core Data's numbers.
    public enum Code: Int, CaseIterable, Hashable, Sendable {
        case general = 1550
        case missingMandatoryProperty = 1570
        case relationshipLacksMinimumCount = 1580
        case relationshipExceedsMaximumCount = 1590
        case relationshipDeniedDelete = 1600
        case numberTooLarge = 1610
        case numberTooSmall = 1620
        case dateTooLate = 1630
        case dateTooSoon = 1640
        case stringTooLong = 1660
        case stringTooShort = 1670
        case stringPatternMatching = 1680
        /// An object refers to another one that doesn't exist any more.
        case referentialIntegrity = 133000
    }

    public var code: Code
    public var message: String
    /// The object; the engine sets it for failures that hooks throw.
    public var objectID: ManagedObjectID?
    public var entityName: String?
    public var property: String?
    public var value: Value?
    /// The first twenty objects that deny a deletion.
    public var blockingObjects: [ManagedObjectID] = []
    /// The number of objects that deny the deletion.
    public var blockingCount = 0

    /// A failure of a custom rule.
    ///
    ///     throw ValidationFailure("A trip ends after it has begun.", property: "end")
    public init(_ message: String, property: String? = nil, value: Value? = nil) {
        self.init(.general, message, property: property, value: value)
    }

    public init(_ code: Code, _ message: String, property: String? = nil, value: Value? = nil) {
        self.code = code
        self.message = message
        self.property = property
        self.value = value
    }

    public var description: String { message }
}

/// Several failures at once, for hooks that find more than one.
public struct ValidationFailures: Error, Hashable, Sendable {
    public var failures: [ValidationFailure]

    public init(_ failures: [ValidationFailure]) {
        self.failures = failures
    }
}

extension GraphError {
    /// - Parameter omitted: The number of further failures.
    package static func validation(
        _ failures: [ValidationFailure],
        omitting omitted: Int = 0,
        code: Code = .validation
    ) -> GraphError {
        let messages = failures.prefix(3).map { failure in
            failure.entityName.map { "\($0): \(failure.message)" } ?? failure.message
        }
        let message =
            failures.count == 1
            ? messages[0]
            : "\(failures.count + omitted) values are invalid. " + messages.joined(separator: " ")
                + (failures.count > 3 ? " …" : "")
        var error = GraphError(code, message)
        error.failures = failures
        error.omittedFailures = omitted
        error.objectID = failures.count == 1 ? failures[0].objectID : nil
        error.property = failures.count == 1 ? failures[0].property : nil
        return error
    }
}
