// SPDX-License-Identifier: Apache-2.0

import Identities
import ObjectGraph
import ObjectModel

/// Something that the rules don't permit an identity to do with an object.
struct AccessDenial {
    enum Act {
        case verb(AccessVerb)
        /// A write of a property, by its name in the model.
        case property(String)
    }

    let act: Act
    let object: ManagedObject

    init(_ act: Act, of object: ManagedObject) {
        self.act = act
        self.object = object
    }
}

extension AccessDenial {
    /// Why an object changes that the request doesn't name: it is deleted or changed along with another one.
    struct Cause {
        /// The object that the request changes or deletes.
        let partner: ManagedObject
        /// The partner's relationship to the object.
        let relationship: RelationshipDescription
        /// The object's relationship to the partner.
        let inverse: RelationshipDescription
    }

    /// The cause of a change that the request doesn't name; nil if there are no relationships by which it can be found.
    ///
    /// - Parameter named: The objects that the request names, which are preferred.
    func cause(in context: ManagedObjectContext, naming named: Set<ManagedObjectID>) throws -> Cause? {
        guard case .verb(let verb) = act, verb == .update || verb == .delete else { return nil }
        var causes: [Cause] = []
        let changed = object.changedValues
        for inverse in object.entity.toOnes {
            guard let name = inverse.inverse?.name else { continue }
            let former = object.committedSnapshot?.row.toOnes[inverse.slot].flatMap(context.registeredObject)
            let present = try verb == .update && changed[inverse.name] != nil ? object.object(of: inverse) : nil
            for partner in [former, present].compactMap(\.self) {
                guard let relationship = partner.entity.relationship(named: name) else { continue }
                let isCause =
                    verb == .update
                    ? changed[inverse.name] != nil : partner.isDeleted && relationship.deleteRule == .cascade
                if isCause { causes.append(Cause(partner: partner, relationship: relationship, inverse: inverse)) }
            }
        }
        return causes.first { named.contains($0.partner.objectID) } ?? causes.first
    }
}
