// SPDX-License-Identifier: Apache-2.0

// The values of an entity's objects.

import ObjectGraph
import ObjectModel
import Predicates

struct ObjectFiller: Sendable {
    /// Objects with numbers from this on can't be had: what must be unique about them has no more values.
    let capacity: Int
    private let fillers: [(attribute: AttributeDescription, filler: AttributeFiller)]

    /// Nil where an attribute that is required can't have any value.
    init?(_ entity: EntityDescription, _ carriers: UniqueCarriers) {
        var capacity = carriers.allowOneOnly ? 1 : Int.max
        var fillers: [(AttributeDescription, AttributeFiller)] = []
        for attribute in entity.attributes where !attribute.isDerived {
            // What no store keeps is set only for the save to be allowed.
            if attribute.isTransient, attribute.attribute.isOptional { continue }
            let isUnique = carriers.attributes.contains(attribute)
            if let filler = AttributeFiller(attribute, of: entity, isUnique: isUnique) {
                capacity = min(capacity, filler.capacity)
                fillers.append((attribute, filler))
            } else if !attribute.attribute.isOptional {
                return nil
            }
        }
        (self.capacity, self.fillers) = (capacity, fillers)
    }

    func values(for subject: Subject, _ random: inout DemoRandom) -> [(attribute: AttributeDescription, value: Value)] {
        fillers.map { ($0, $1.value(for: subject, &random)) }
    }
}
