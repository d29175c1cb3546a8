// SPDX-License-Identifier: Apache-2.0

// Whether batches may change relationships, on both sides.

import AccessRules
import Identities
import JSON
import ObjectGraph
import ObjectModel

extension Access {
    /// Whether a batch may change a relationship: other objects whose rows change along must be changeable without
    /// conditions, since a batch doesn't check them.
    ///
    /// - Parameter links: Whether objects are linked; otherwise they are only unlinked.
    func permitsInBatch(_ relationship: RelationshipDescription, links: Bool) -> Bool {
        guard let inverse = relationship.inverse else { return true }
        let destination = model.destination(of: relationship)
        let partners = model.kinds(of: destination).filter { !$0.isAbstract }
        if inverse.isToMany {
            return !relationship.isToMany || partners.allSatisfy { canWrite(inverse.name, of: $0) }
        }
        func permits(_ name: String, of kinds: [EntityDescription]) -> Bool {
            kinds.allSatisfy { permission(.update, $0) == .always && canWrite(name, of: $0) }
        }
        guard permits(inverse.name, of: partners) else { return false }
        guard links, !relationship.isToMany, let back = destination.relationship(named: inverse.name) else {
            return true
        }
        // The former partners of the new ones are unlinked.
        return permits(relationship.name, of: model.kinds(of: model.destination(of: back)).filter { !$0.isAbstract })
    }
}

extension Problem {
    /// For a relationship that a batch can't change.
    static func alongInBatch(_ name: String, hint: String, extras: JSONObject) -> Problem {
        let message = "Setting “\(name)” would change other objects, which the access rules may not permit."
        var problem = Problem(.forbidden, message, hint: hint)
        problem.errors = [Problem.Detail(property: name, code: "forbidden", message: message, extras: extras)]
        return problem
    }
}
