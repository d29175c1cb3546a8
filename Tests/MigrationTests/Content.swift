// SPDX-License-Identifier: Apache-2.0

// The whole content of a store, to compare stores with each other.

import ObjectGraph
import ObjectModel
import Predicates

/// The objects of a store by entity and number, with all that is stored of them.
struct Content: Equatable {
    struct Object: Equatable, CustomStringConvertible {
        var version: Int64
        var values: [String: Value]
        /// The numbers of related objects, sorted unless the relationship is ordered.
        var related: [String: [Int64]]

        var description: String {
            let values = values.filter { $0.value != .null }.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
            let related = related.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { "\($0)→\($1)" }
            return "v\(version) " + (values + related).joined(separator: " ")
        }
    }

    /// By name, such as `Post/3`.
    var objects: [String: Object] = [:]

    init(
        _ store: some PersistentStore,
        _ model: ManagedObjectModel,
        at generation: (any StoreGeneration)? = nil
    ) throws {
        for entity in model.entities where !entity.isAbstract {
            let request = StoreFetchRequest(entity: entity, includesSubentities: false, kind: .objectIDs)
            guard case .objectIDs(let found) = try store.fetch(request, at: generation) else { continue }
            for case let snapshot? in try store.snapshots(of: found, at: generation) {
                var object = Object(version: snapshot.version, values: [:], related: [:])
                for attribute in entity.attributes where attribute.isPersistent {
                    object.values[attribute.name] = snapshot.row.attributes[attribute.slot]
                }
                for relationship in entity.toOnes where !relationship.isTransient {
                    object.related[relationship.name] =
                        [snapshot.row.toOnes[relationship.slot]].compactMap { $0?.number }
                }
                objects[snapshot.objectID.place] = object
            }
            for relationship in entity.toManys where !relationship.isTransient {
                let members = try store.members(of: relationship, owners: found, at: generation)
                for (owner, members) in zip(found, members) {
                    let numbers = members.map(\.number)
                    objects[owner.place]?.related[relationship.name] =
                        relationship.isOrdered ? numbers : numbers.sorted()
                }
            }
        }
    }

    /// The differences of another content, a line for each object.
    func differences(from other: Content) -> [String] {
        Set(objects.keys).union(other.objects.keys).sorted().compactMap { name in
            guard objects[name] != other.objects[name] else { return nil }
            let one = objects[name].map(\.description) ?? "–"
            let two = other.objects[name].map(\.description) ?? "–"
            return "\(name): \(one) | \(two)"
        }
    }
}

extension ManagedObjectID {
    var number: Int64 {
        if case .integer(let number)? = reference { number } else { 0 }
    }

    var place: String { "\(entity.name)/\(number)" }
}
