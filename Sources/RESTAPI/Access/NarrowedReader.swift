// SPDX-License-Identifier: Apache-2.0

// Reads what an identity may read.

import AccessRules
import Basics
import Identities
import ObjectGraph
import ObjectModel
import Predicates

/// A reader that adds an identity's rules to each request. Without an identity, it reads everything.
///
/// 1. All that requests to the API read goes through it, so that no route needs rules of its own.
/// 2. Rules of fetches are part of the statements. Rows that are read by their IDs, most of them from the row cache, are
///    checked by evaluation, or by one fetch if the rules need other objects.
/// 3. A to-one relationship to an object that can't be read is nil in the rows.
struct NarrowedReader<Base: GraphReading>: GraphReading {
    let base: Base
    let access: Access?

    init(_ base: Base, for access: Access?) {
        self.base = base
        self.access = access
    }

    var model: ManagedObjectModel { base.model }

    // MARK: Fetches

    func snapshots(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> [Snapshot] {
        try shown(base.snapshots(try narrowed(request)))
    }

    func rowPage(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> RowPage? {
        if let entity = model.entity(named: request.entityName), hidesReferences(of: entity) { return nil }
        return try base.rowPage(try narrowed(request))
    }

    func objectIDs(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> [ManagedObjectID] {
        try base.objectIDs(try narrowed(request))
    }

    func count(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> Int {
        try base.count(try narrowed(request))
    }

    func table(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> FetchTable {
        try base.table(try narrowed(request))
    }

    func ranked(_ request: FetchRequest<ManagedObject>) throws(GraphError) -> FetchRequest<ManagedObject> {
        guard let access, let entity = model.entity(named: request.entityName), request.isByRelevance,
            access.visibility(of: model.entities[entity.rootIndex]) != nil, let search = request.search
        else { return try base.ranked(request) }
        // Numbers of all objects would say how many of those that can't be read have a word.
        var ranked = request
        ranked.search = try search.resolved(for: entity, in: model)
        ranked.search?.statistics = .alike(for: search.query)
        return ranked
    }

    func sortKeys(of snapshot: Snapshot, for request: FetchRequest<ManagedObject>) throws(GraphError) -> [Value] {
        // Conditions see all references of the row, also those that aren't shown.
        let isShownWhole = !hidesReferences(of: snapshot.objectID.entity)
        let stored = try isShownWhole ? nil : base.snapshots(of: [snapshot.objectID])[0]
        return try base.sortKeys(of: stored ?? snapshot, for: try narrowed(request))
    }

    private func narrowed(
        _ request: FetchRequest<ManagedObject>
    ) throws(GraphError) -> FetchRequest<ManagedObject> {
        guard let access, let entity = model.entity(named: request.entityName) else { return request }
        let narrowing = Narrowing(access, of: entity)
        var request = request
        let conditions = [
            access.visibility(of: entity), try request.predicate.narrowed(by: narrowing),
        ].compactMap(\.self)
        request.predicate = conditions.isEmpty ? nil : .all(of: conditions)
        if request.predicate == .constant(true) { request.predicate = nil }
        let ofGroups = Narrowing(access, of: entity, keepingExpressions: true)
        request.havingPredicate = try request.havingPredicate.narrowed(by: ofGroups)
        let grouping = try request.propertiesToGroupBy.map { (path) throws(GraphError) in
            try narrowing.narrowed(.keyPath(path))
        }
        if grouping != request.propertiesToGroupBy.map({ .keyPath($0) }) { request.groupingExpressions = grouping }
        for index in request.sortDescriptors.indices {
            request.sortDescriptors[index].keyPath = try narrowing.narrowed(request.sortDescriptors[index].keyPath)
        }
        request.propertiesToFetch = try request.propertiesToFetch.map { (column) throws(GraphError) in
            ExpressionDescription(column.name, try narrowing.narrowed(column.expression))
        }
        return request
    }

    // MARK: Rows

    func snapshots(of objects: [ManagedObjectID]) throws(GraphError) -> [Snapshot?] {
        let rows = try base.snapshots(of: objects)
        guard access != nil else { return rows }
        let readable = try readable(rows.compactMap(\.self))
        let shown = Dictionary(
            keepingFirst: try shown(rows.compactMap(\.self).filter { readable.contains($0.objectID) })
                .map { ($0.objectID, $0) }
        )
        return rows.map { row in row.flatMap { shown[$0.objectID] } }
    }

    /// The objects among some rows that can be read.
    func readable(_ rows: [Snapshot]) throws(GraphError) -> Set<ManagedObjectID> {
        guard let access else { return Set(rows.map(\.objectID)) }
        var readable: Set<ManagedObjectID> = []
        for (entity, rows) in Dictionary(grouping: rows, by: \.objectID.entity) {
            switch access.permission(.read, entity) {
            case .always: readable.formUnion(rows.map(\.objectID))
            case .when([]): break
            case .when(let rules):
                let condition = ObjectPredicate.any(of: rules.map(\.existing))
                readable.formUnion(try self.rows(rows, of: entity, matching: condition))
            }
        }
        return readable
    }

    private func rows(
        _ rows: [Snapshot],
        of entity: EntityDescription,
        matching condition: ObjectPredicate
    ) throws(GraphError) -> Set<ManagedObjectID> {
        if rows.count == 1 || condition.isLocal(in: entity) {
            let evaluator = Evaluator.limited()
            do {
                let found = try rows.filter {
                    try evaluator.matches(condition, EvaluatedRow(snapshot: $0, reader: base))
                }
                return Set(found.map(\.objectID))
            } catch let error as GraphError {
                throw error
            } catch {
                throw .evaluation(error)
            }
        }
        var request = FetchRequest<ManagedObject>(entity.name)
        let isAmong = ObjectPredicate.comparing(.evaluatedObject, .in, .constant(.array(rows.map(\.objectID.value))))
        request.predicate = .all(of: [isAmong, condition])
        return Set(try base.objectIDs(request))
    }

    /// Rows without references to objects that can't be read.
    func shown(_ rows: [Snapshot]) throws(GraphError) -> [Snapshot] {
        guard rows.contains(where: { hidesReferences(of: $0.objectID.entity) }) else { return rows }
        var referred: [ManagedObjectID] = []
        for row in rows {
            for relationship in restricted(of: row.objectID.entity) {
                if let destination = row.row.toOnes[relationship.slot] { referred.append(destination) }
            }
        }
        let unique = OrderedMembers(referred).members
        let stored = try base.snapshots(of: unique)
        let readable = try readable(stored.compactMap(\.self))
        // A reference may name a superentity of the object's entity.
        var hidden: Set<ManagedObjectID> = []
        for (objectID, row) in zip(unique, stored) where row.map({ !readable.contains($0.objectID) }) ?? true {
            hidden.insert(objectID)
        }
        guard !hidden.isEmpty else { return rows }
        return rows.map { snapshot in
            var row = snapshot.row
            for relationship in restricted(of: snapshot.objectID.entity) {
                guard let destination = row.toOnes[relationship.slot], hidden.contains(destination) else { continue }
                row.toOnes[relationship.slot] = nil
            }
            return Snapshot(objectID: snapshot.objectID, version: snapshot.version, row: row)
        }
    }

    /// The to-one relationships of an entity to objects that may not be readable.
    private func restricted(of entity: EntityDescription) -> [RelationshipDescription] {
        guard let access else { return [] }
        return entity.toOnes.filter { access.visibility(of: model.destination(of: $0)) != nil }
    }

    private func hidesReferences(of entity: EntityDescription) -> Bool {
        guard access != nil else { return false }
        return model.kinds(of: entity).contains { !restricted(of: $0).isEmpty }
    }

    // MARK: Relationships

    func related(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        matching request: RelatedRequest?
    ) throws(GraphError) -> RelatedRows {
        var related = try base.related(
            along: relationship,
            owners: owners,
            matching: try narrowed(request, along: relationship)
        )
        if access != nil { related.rows = try shown(related.rows) }
        return related
    }

    func relatedPage(
        along relationship: RelationshipDescription,
        owners: RowPage.SubSequence,
        matching request: RelatedRequest?
    ) throws(GraphError) -> RelatedPage? {
        let destination = model.destination(of: relationship)
        if hidesReferences(of: destination) { return nil }
        if !relationship.isToMany, access?.visibility(of: destination) != nil { return nil }
        return try base.relatedPage(
            along: relationship,
            owners: owners,
            matching: try narrowed(request, along: relationship)
        )
    }

    private func narrowed(
        _ request: RelatedRequest?,
        along relationship: RelationshipDescription
    ) throws(GraphError) -> RelatedRequest? {
        guard let access else { return request }
        let destination = model.destination(of: relationship)
        let narrowing = Narrowing(access, of: destination)
        let visibility = access.visibility(of: destination)
        guard var request = request ?? visibility.map({ _ in RelatedRequest() }) else { return nil }
        let conditions = [visibility, try request.predicate.narrowed(by: narrowing)].compactMap(\.self)
        request.predicate = conditions.isEmpty ? nil : .all(of: conditions)
        for index in request.sortDescriptors.indices {
            request.sortDescriptors[index].keyPath = try narrowing.narrowed(request.sortDescriptors[index].keyPath)
        }
        return request
    }
}

extension GraphReading {
    /// The context that is read, or nil for stores.
    var context: ManagedObjectContext? {
        self as? ManagedObjectContext ?? (self as? NarrowedReader<ManagedObjectContext>)?.base
    }
}

extension ObjectPredicate? {
    fileprivate func narrowed(by narrowing: Narrowing) throws(GraphError) -> ObjectPredicate? {
        guard let predicate = self else { return nil }
        return try narrowing.narrowed(predicate)
    }
}

extension ObjectPredicate {
    /// Whether it needs only the values of the object's own row.
    func isLocal(in entity: EntityDescription) -> Bool {
        var isLocal = true
        forEachPart({ isLocal = isLocal && $0.isLocal(in: entity) }, { isLocal = isLocal && $0.isLocal(in: entity) })
        return isLocal
    }
}

extension ObjectExpression {
    fileprivate func isLocal(in entity: EntityDescription) -> Bool {
        switch self {
        case .keyPath(of: .evaluatedObject, let keys):
            guard case .name(let name)? = keys.first else { return false }
            return entity.relationship(named: name) == nil
        case .subquery, .element: return false
        default:
            var isLocal = true
            forEachPart(
                { isLocal = isLocal && $0.isLocal(in: entity) },
                { isLocal = isLocal && $0.isLocal(in: entity) }
            )
            return isLocal
        }
    }
}
