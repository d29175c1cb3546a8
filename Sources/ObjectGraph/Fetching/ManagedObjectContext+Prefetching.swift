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

    /// Reads along what a condition or an order looks at.
    func prefetch(along routes: FetchRoute, of objects: [ManagedObject]) throws(GraphError) {
        try fire(objects)
        for keyPath in routes.keyPaths { try prefetch(keyPath, of: objects) }
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

    /// Reads the members of a relationship and their rows with one call, where they aren't known yet.
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
