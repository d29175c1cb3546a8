// SPDX-License-Identifier: Apache-2.0

// What follows from a kind of access rules for requests with certain needs.

/// A kind of access rules. Each forbids one thing about an object of the matrix's entity.
enum MatrixRules: CaseIterable, Sendable {
    case everythingPermitted
    /// No rule names the entity.
    case nothingPermitted
    case readingDenied, creationDenied, updateDenied, deletionDenied
    /// The object isn't among those that a condition permits.
    case rowHidden, rowFixed
    case propertyHidden, propertyFixed
    /// The identity administers; the rules don't matter.
    case administration

    var hidesObject: Bool { [.nothingPermitted, .readingDenied, .rowHidden].contains(self) }
    var hidesProperty: Bool { self == .nothingPermitted || self == .propertyHidden }
}

/// What a request needs.
enum MatrixNeed: Sendable {
    /// An entity that the identity knows.
    case entity
    /// The object, which must be readable.
    case object
    /// The same in a body.
    case namedEntity, reference
    case creation, update, deletion
    /// The property in a condition, or in what a body sets.
    case condition, value
    case administration

    /// The status of a refusal under some rules; nil if they don't matter.
    func refusal(_ rules: MatrixRules) -> Int? {
        switch (self, rules) {
        case (_, .administration): nil
        case (.administration, _): 403
        case (.entity, .nothingPermitted), (.object, .nothingPermitted), (.object, .readingDenied),
            (.object, .rowHidden):
            404
        case (.namedEntity, .nothingPermitted), (.reference, .nothingPermitted), (.reference, .readingDenied): 422
        case (.reference, .rowHidden): 422
        case (.creation, .creationDenied), (.update, .updateDenied), (.update, .rowFixed): 403
        case (.deletion, .deletionDenied), (.deletion, .rowFixed): 403
        case (.condition, .propertyHidden): 400
        case (.value, .propertyHidden): 422
        case (.value, .propertyFixed): 403
        default: nil
        }
    }
}

/// What an answer shows if the rules permit it.
enum MatrixShown: Sendable { case nothing, object, name, updates, deletions }
