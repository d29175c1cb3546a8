// SPDX-License-Identifier: Apache-2.0

// Parents: known, and without cycles.

import Predicates

extension ModelCheck {
    mutating func checkHierarchy(of entity: Entity) {
        if entity.isAbstract, !parentNames.contains(entity.name) {
            report(
                .entityAbstract,
                entity.name,
                "\(entity.name) is abstract and has no subentities, so it can't have objects."
            )
        }
        guard let parent = entity.parentName else { return }
        if model.entity(named: parent) == nil {
            report(
                .entityParent,
                entity.name,
                "\(entity.name) has the unknown entity “\(parent)” as its parent.",
                hint: guess(parent) { $0.entities.map(\.name) }
            )
        } else if hierarchy.cyclic.contains(entity.name) {
            report(.entityCycle, entity.name, "\(entity.name) is its own ancestor.")
        }
    }
}
