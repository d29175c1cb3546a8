// SPDX-License-Identifier: Apache-2.0

// Parents: known, and above what they are parents of.

import Predicates
import SourceText

extension ModelCheck {
    mutating func checkHierarchy(of entity: Entity) {
        if entity.isAbstract, !parentNames.contains(entity.name) {
            report(
                .entityAbstract,
                entity.name,
                "\(entity.name) is abstract and has no subentities, so there can't be any objects of it."
            )
        }
        guard let parent = entity.parentName else { return }
        if model.entity(named: parent) == nil {
            report(
                .entityParent,
                entity.name,
                "\(entity.name) has the unknown entity “\(parent)” as its parent.",
                hint: Spelling.hint(for: parent, among: model.entities.map(\.name))
            )
        } else if (model.ancestors(of: entity).last ?? entity).parentName == entity.name {
            report(.entityCycle, entity.name, "\(entity.name) is its own ancestor.")
        }
    }
}
