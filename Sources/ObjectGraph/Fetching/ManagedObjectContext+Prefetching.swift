// SPDX-License-Identifier: Apache-2.0

// Prefetching the objects of relationships, many with one call.

import Predicates

extension ManagedObjectContext {
    /// Prefetches the relationships that a request names.
    func prefetch<Object>(_ request: FetchRequest<Object>, of objects: [ManagedObject]) throws(GraphError) {
        for keyPath in request.relationshipKeyPathsForPrefetching {
            try prefetch(keyPath.split(separator: ".").map(String.init), of: objects)
        }
    }

    /// Prefetches the properties that a condition or an order uses.
    func prefetch(along tree: KeyPathTree, of objects: [ManagedObject]) throws(GraphError) {
        try fire(objects)
        for keyPath in tree.keyPaths { try prefetch(keyPath, of: objects) }
    }

    /// Prefetches step by step. Objects of entities without the relationship are skipped; sibling entities may each
    /// have one of that name. Missing objects are skipped too.
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

    /// Reads the members of a relationship and their rows with one call, unless they are known.
    func loadWithRows(_ relationship: RelationshipDescription, of objects: [ManagedObject]) throws(GraphError) {
        let owners = objects.filter { $0.toMany(relationship).isFault }
        guard !owners.isEmpty else { return }
        let related = try source.related(along: relationship, owners: owners.map(\.objectID), matching: nil)
        for (owner, members) in zip(owners, related.members) {
            owner.touchToManys()
            owner.toManys[relationship.slot].load(members)
        }
        for snapshot in related.rows { _ = object(of: snapshot, refreshing: false) }
    }
}
