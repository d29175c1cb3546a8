// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import ObjectModel
import Predicates

struct ObjectFiller: Sendable {
    /// The number of objects for which unique values exist.
    let capacity: Int
    private let fillers: [(attribute: AttributeDescription, filler: AttributeFiller)]

    /// Returns nil if a required attribute has no possible value.
    init?(_ entity: EntityDescription, _ carriers: UniqueProperties) {
        var capacity = carriers.allowOneOnly ? 1 : Int.max
        var fillers: [(AttributeDescription, AttributeFiller)] = []
        for attribute in entity.attributes where !attribute.isDerived {
            // Transient values are set only if validation requires them.
            if attribute.isTransient, attribute.attribute.isOptional { continue }
            let isUnique = carriers.attributes.contains(attribute)
            if let filler = AttributeFiller(attribute, of: entity, isUnique: isUnique) {
                capacity = min(capacity, filler.capacity)
                fillers.append((attribute, filler))
            } else if !attribute.attribute.isOptional {
                return nil
            }
        }
        self.capacity = capacity
        self.fillers = fillers
    }

    func values(
        for subject: PlannedObject,
        _ random: inout DemoRandom
    ) -> [(attribute: AttributeDescription, value: Value)] {
        fillers.map { ($0, $1.value(for: subject, &random)) }
    }
}
