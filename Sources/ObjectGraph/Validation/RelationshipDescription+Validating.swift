// SPDX-License-Identifier: Apache-2.0

// What the model demands of the number of objects that a relationship leads to.

import ObjectModel

extension RelationshipDescription {
    /// Whether the number of its objects can be wrong.
    var hasBounds: Bool {
        !relationship.isOptional || isToMany && (relationship.minimumCount != nil || relationship.maximumCount != nil)
    }

    /// Whether the number of members can be wrong after some were added. One is enough for a relationship that only needs a value.
    package var limitsAdditions: Bool { relationship.maximumCount != nil || relationship.minimumCount ?? 0 > 1 }

    /// What is wrong with a number of objects that is to be saved.
    func failure(ofCount count: Int) -> ValidationFailure? {
        if count == 0 {
            guard !relationship.isOptional else { return nil }
            let code: ValidationFailure.Code = isToMany ? .relationshipLacksMinimumCount : .missingMandatoryProperty
            return ValidationFailure(code, "\(name) needs a value.", property: name)
        }
        guard isToMany else { return nil }
        if let least = relationship.minimumCount, count < least {
            let message = "\(name) needs at least \(least) objects and has \(count)."
            return ValidationFailure(.relationshipLacksMinimumCount, message, property: name)
        }
        if let most = relationship.maximumCount, count > most {
            let message = "\(name) has \(count) objects, and \(most) are allowed."
            return ValidationFailure(.relationshipExceedsMaximumCount, message, property: name)
        }
        return nil
    }
}
