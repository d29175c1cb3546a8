// SPDX-License-Identifier: Apache-2.0

// The whole contents of a coordinator's stores, for comparison.

import ObjectGraph
import ObjectModel
import Predicates

/// Each object's entity, key, values and destinations.
func dump(_ coordinator: PersistentStoreCoordinator) throws -> [String] {
    try coordinator.withContext { context in
        var lines: [String] = []
        for entity in context.model.entities where !entity.isAbstract {
            let request = FetchRequest<ManagedObject>(entity.name)
            for object in try context.fetch(request) where object.entity == entity {
                var line = key(object.objectID)
                for attribute in entity.attributes where !attribute.isDerived {
                    line += " \(attribute.name)=\(plain(try object.value(of: attribute)))"
                }
                for relationship in entity.relationships {
                    let members =
                        relationship.isToMany
                        ? try object.objectIDs(of: relationship)
                        : try object.object(of: relationship).map { [$0.objectID] } ?? []
                    let keys = members.map(key)
                    line += " \(relationship.name)→\(relationship.isOrdered ? keys : keys.sorted())"
                }
                lines.append(line)
            }
        }
        return lines
    }
}

private func key(_ objectID: ManagedObjectID) -> String {
    "\(objectID.entity.name)/\(objectID.reference.map { "\($0)" } ?? "none")"
}

/// Dictionaries sorted by key, since they have no order.
private func plain(_ value: Value) -> String {
    guard case .dictionary(let members) = value else { return "\(value)" }
    return "\(members.sorted { $0.key < $1.key }.map { "\($0.key): \(plain($0.value))" })"
}
