// SPDX-License-Identifier: Apache-2.0

// Reading the objects of relationships along, many at a time.

import Predicates

extension ManagedObjectContext {
    /// Reads along what a request wants to be.
    func prefetch<Object>(_ request: FetchRequest<Object>, of objects: [ManagedObject]) throws(GraphError) {
        for keyPath in request.relationshipKeyPathsForPrefetching {
            try prefetch(keyPath.split(separator: ".").map(String.init), of: objects)
        }
    }

    /// Reads along what objects are put in order by.
    func prefetch(for descriptors: [ObjectSortDescriptor], of objects: [ManagedObject]) throws(GraphError) {
        try fire(objects)
        for descriptor in descriptors {
            guard case .keyPath(of: .evaluatedObject, let keys) = descriptor.keyPath else { continue }
            let names = keys.prefix { if case .name = $0 { true } else { false } }.map { "\($0.name)" }
            try prefetch(names, of: objects)
        }
    }

    /// Reads step by step. Where objects are of several entities, those that don't have the relationship have nothing to read;
    /// entities side by side may each have one of the same name. Objects whose rows are gone lead nowhere.
    private func prefetch(_ steps: [String], of objects: [ManagedObject]) throws(GraphError) {
        var objects = objects
        for name in steps {
            try fire(objects)
            objects.removeAll { $0.status.contains(.missing) }
            let owners = Dictionary(grouping: objects) { $0.entity.relationship(named: name) }
            guard owners.count > 1 || owners[nil] == nil else { return }
            for (relationship, owners) in owners {
                if let relationship, relationship.isToMany { try loadWithRows(relationship, of: owners) }
            }
            var next = OrderedMembers<ManagedObject>()
            for object in objects {
                guard let relationship = object.entity.relationship(named: name) else { continue }
                for objectID in try object.objectIDs(of: relationship) { next.append(self.object(with: objectID)) }
            }
            objects = next.members
        }
        try fire(objects)
    }

    /// Reads the members of a relationship and their rows: with one call where the rows tell whose members they are, and no
    /// order is kept.
    private func loadWithRows(
        _ relationship: RelationshipDescription,
        of objects: [ManagedObject]
    ) throws(GraphError) {
        let owners = objects.filter { $0.toMany(relationship).isFault }
        guard let inverse = relationship.inverseToOne, !relationship.isOrdered, !owners.isEmpty else {
            return try load(relationship, of: objects)
        }
        let stores = Set(owners.compactMap(\.objectID.storeIdentifier))
        var request = StoreFetchRequest(
            entity: model.destination(of: relationship),
            predicate: .comparing(
                .keyPath(inverse.name),
                .in,
                .constant(.array(owners.map { .reference($0.objectID.objectReference) }))
            )
        )
        request.affectedStores = stores.isEmpty ? nil : stores
        guard case .snapshots(let snapshots) = try source.fetch(request) else { return }
        let members = Dictionary(grouping: snapshots) { $0.row.toOnes[inverse.slot] }
        for owner in owners {
            owner.touchToManys()
            owner.toManys[relationship.slot].load((members[owner.objectID] ?? []).map(\.objectID))
        }
        for snapshot in snapshots { _ = object(of: snapshot, refreshing: false) }
    }
}

extension Key {
    fileprivate var name: String {
        if case .name(let name) = self { name } else { "" }
    }
}
