// SPDX-License-Identifier: Apache-2.0

// The model's rules for the number of a relationship's objects.

import ObjectModel

extension RelationshipDescription {
    /// Whether the number of its objects is limited.
    package var hasBounds: Bool {
        !relationship.isOptional || isToMany && (relationship.minimumCount != nil || relationship.maximumCount != nil)
    }

    /// Whether adding members can violate a limit. One member is enough for a relationship that only needs a value.
    package var limitsAdditions: Bool { relationship.maximumCount != nil || relationship.minimumCount ?? 0 > 1 }

    /// Whether removing an object can violate a limit.
    package var limitsRemovals: Bool { !relationship.isOptional || isToMany && relationship.minimumCount ?? 0 > 1 }

    /// The failure of a number of objects to be saved, or nil.
    func failure(ofCount count: Int) -> ValidationFailure? {
        if count == 0 {
            guard !relationship.isOptional else { return nil }
            let code: ValidationFailure.Code = isToMany ? .relationshipLacksMinimumCount : .missingMandatoryProperty
            return ValidationFailure(code, "\(name) needs a value.", property: name)
        }
        guard isToMany else { return nil }
        if let least = relationship.minimumCount, count < least {
            let message = "\(name) needs at least \(least) objects, but has \(count)."
            return ValidationFailure(.relationshipLacksMinimumCount, message, property: name)
        }
        if let most = relationship.maximumCount, count > most {
            let message = "\(name) has \(count) objects; at most \(most) are allowed."
            return ValidationFailure(.relationshipExceedsMaximumCount, message, property: name)
        }
        return nil
    }
}
