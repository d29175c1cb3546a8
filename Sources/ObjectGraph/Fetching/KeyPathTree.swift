// SPDX-License-Identifier: Apache-2.0

// The key paths of conditions and orders, and the way back: finds the objects that pending changes of others affect.

import Predicates

/// A position that key paths reach from the requested objects, with the properties used there. The routes of a request
/// form a tree.
final class KeyPathTree {
    private let entity: EntityDescription
    private var properties: Set<PropertyDescription> = []
    private var steps: [(relationship: RelationshipDescription, tree: KeyPathTree)] = []

    private init(_ entity: EntityDescription) { self.entity = entity }

    /// The routes of a checked condition, order and table.
    convenience init(
        from entity: EntityDescription,
        predicate: ObjectPredicate? = nil,
        order descriptors: [ObjectSortDescriptor] = [],
        table: TableRequest? = nil,
        in model: ManagedObjectModel
    ) {
        self.init(entity)
        let walk = Walk(model: model, start: self)
        for predicate in [predicate, table?.having] { if let predicate { walk.follow(predicate, [:]) } }
        for descriptor in descriptors { walk.ends(of: descriptor.keyPath, [:]) }
        guard let table else { return }
        for expression in table.columns.map(\.expression) + table.groupBy { walk.ends(of: expression, [:]) }
    }

    /// The relationship key paths to the ends of the routes.
    var keyPaths: [[String]] {
        steps.flatMap { step in
            let rest = step.tree.keyPaths
            return rest.isEmpty ? [[step.relationship.name]] : rest.map { [step.relationship.name] + $0 }
        }
    }

    /// The route of a property that is used here; nil if it isn't a relationship.
    private func step(_ name: String, in model: ManagedObjectModel) -> KeyPathTree? {
        guard EntityDescription.kinds(of: name) == nil else { return self }
        // A property of a subentity follows a step to that.
        guard let property = model.kinds(of: entity).lazy.compactMap({ $0.property(named: name) }).first else {
            return nil
        }
        properties.insert(property)
        guard case .relationship(let relationship) = property else { return nil }
        if let known = steps.first(where: { $0.relationship == relationship }) { return known.tree }
        let tree = KeyPathTree(model.destination(of: relationship))
        steps.append((relationship, tree))
        return tree
    }

    /// Follows all key paths.
    private struct Walk {
        typealias Variables = [String: [KeyPathTree]]

        let model: ManagedObjectModel
        let start: KeyPathTree

        func follow(_ predicate: ObjectPredicate, _ variables: Variables) {
            predicate.forEachPart({ ends(of: $0, variables) }, { follow($0, variables) })
        }

        /// The routes of the objects that an expression may result in.
        @discardableResult
        func ends(of expression: ObjectExpression, _ variables: Variables) -> [KeyPathTree] {
            switch expression {
            case .evaluatedObject: return [start]
            case .variable(let name): return variables[name] ?? []
            case .keyPath(let root, let keys):
                return keys.reduce(ends(of: root, variables)) { trees, key in
                    guard case .name(let name) = key, name != "self" else { return trees }
                    return trees.compactMap { $0.step(name, in: model) }
                }
            case .subquery(let collection, let variable, let condition):
                let members = ends(of: collection, variables)
                follow(condition, variables.merging([variable: members]) { $1 })
                return members
            default:
                var ends: [KeyPathTree] = []
                expression.forEachPart({ ends += self.ends(of: $0, variables) }, { follow($0, variables) })
                return ends
            }
        }
    }
}

// MARK: Pending changes

extension KeyPathTree {
    /// Whether objects on the routes have pending changes.
    func reachesPendingChanges(in context: ManagedObjectContext) -> Bool {
        steps.contains { $0.tree.shows(context.updated, context) || $0.tree.shows(context.deleted, context) }
            || steps.contains { $0.tree.reachesPendingChanges(in: context) }
    }

    /// The objects here from which routes reach pending changes.
    ///
    /// Relationships are followed back as they are stored. If they differ in the context, an object on the way has
    /// changed and is a starting point too; so new objects needn't be, since only changed ones refer to them.
    func objectsReachingPendingChanges(
        in context: ManagedObjectContext
    ) throws(GraphError) -> OrderedMembers<ManagedObjectID> {
        var found = OrderedMembers<ManagedObjectID>()
        for (relationship, tree) in steps {
            var ends = try tree.objectsReachingPendingChanges(in: context)
            for changed in [context.updated, context.deleted] {
                for object in changed where tree.shows(object, context) { ends.append(object.objectID) }
            }
            guard !ends.isEmpty else { continue }
            for objectID in try context.origins(of: ends.members, along: relationship, from: entity) {
                found.append(objectID)
            }
        }
        return found
    }

    private func shows(_ objects: PendingObjects, _ context: ManagedObjectContext) -> Bool {
        !properties.isEmpty && objects.contains { shows($0, context) }
    }

    /// Whether a property used here differs from its stored value. If others have changed it as well, the base can't
    /// tell.
    private func shows(_ object: ManagedObject, _ context: ManagedObjectContext) -> Bool {
        guard !properties.isEmpty, object.entity.isKind(of: entity) else { return false }
        return object.isDeleted || context.pending.newer.keys.contains(object.objectID)
            || properties.contains(where: object.hasChanged)
    }
}

extension ManagedObject {
    /// Whether a property differs from the committed state.
    fileprivate func hasChanged(_ property: PropertyDescription) -> Bool {
        if case .relationship(let relationship) = property, relationship.isToMany {
            return toMany(relationship).hasChanges
        }
        guard !isFault else { return false }
        guard let committed = snapshot?.row else { return true }
        return switch property {
        case .attribute(let attribute): row.attributes[attribute.slot] != committed.attributes[attribute.slot]
        case .relationship(let relationship): row.toOnes[relationship.slot] != committed.toOnes[relationship.slot]
        case .fetched: false
        }
    }
}

extension ManagedObjectContext {
    /// The unchanged objects from which routes reach pending changes.
    func objectsReachingPendingChanges(along tree: KeyPathTree) throws(GraphError) -> [ManagedObject] {
        let unchanged = try tree.objectsReachingPendingChanges(in: self).filter { registered[$0]?.hasChanges != true }
        guard !unchanged.isEmpty else { return [] }
        let rows = try source.snapshots(of: unchanged, staleness: stalenessInterval)
        return rows.compactMap(\.self).map { object(of: $0, refreshing: false) }.filter {
            !$0.hasChanges && !$0.isDeleted
        }
    }

    /// The objects of an entity that refer to others by a relationship, as stored. Without an inverse, the store
    /// searches for them.
    fileprivate func origins(
        of objects: [ManagedObjectID],
        along relationship: RelationshipDescription,
        from entity: EntityDescription
    ) throws(GraphError) -> [ManagedObjectID] {
        if relationship.isTransient { return [] }
        let found: [ManagedObjectID]
        switch relationship.inverse {
        case let inverse? where inverse.isToMany:
            let members = model.destination(of: relationship).toManys[inverse.slot]
            found = try source.members(of: members, owners: objects).flatMap(\.self)
        case let inverse?:
            let rows = try source.snapshots(of: objects, staleness: stalenessInterval)
            found = rows.compactMap { $0?.row.toOnes[inverse.slot] }
        case nil:
            let leads = Comparison(
                .keyPath(relationship.name),
                .in,
                .constant(.array(objects.map(\.value))),
                modifier: relationship.isToMany ? .any : .direct
            )
            let request = StoreFetchRequest(entity: entity, predicate: .comparison(leads), kind: .objectIDs)
            guard case .objectIDs(let ids) = try source.fetch(request) else { return [] }
            found = ids
        }
        return found.filter { $0.entity.isKind(of: entity) }
    }
}
