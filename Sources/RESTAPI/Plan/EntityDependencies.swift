// SPDX-License-Identifier: Apache-2.0

// The entities that an answer depends on. If their objects haven't changed, the answer hasn't either.

import ObjectGraph
import ObjectModel
import Predicates

/// The entities whose objects a plan reads.
struct EntityDependencies {
    /// By index, including subentities.
    private(set) var indices: Set<Int> = []
    /// Whether the answer depends on the current time or on chance.
    private(set) var isVolatile = false
    /// The names of the properties that conditions, orders and columns read, by the index of their objects' entity.
    private(set) var properties: [Int: Set<String>] = [:]
    /// The indices of the entities whose objects are reached by a step of a key path.
    private(set) var steps: Set<Int> = []
    /// Whether key paths read objects of an unknown entity.
    private(set) var isUnbounded = false
    private let catalogue: Catalogue
    private var model: ManagedObjectModel { catalogue.model }

    /// - Parameter access: The rules that restrict what is read, or nil.
    init(_ plan: FetchPlan, in catalogue: Catalogue, for access: Access? = nil) {
        self.catalogue = catalogue
        let entity = plan.resource.entity
        add(entity)
        switch plan.source {
        case .all: break
        case .members(let owner, _), .ordered(let owner, _), .oneWay(let owner, _): add(owner.resource.entity)
        case .fetched(let owner, let property):
            add(owner.resource.entity)
            let types = OperandTypeResolver(
                model: model,
                entity: entity,
                variables: ["FETCH_SOURCE": OperandType(kind: .object(owner.resource.entity))]
            )
            if let predicate = property.property.fetchRequest.objectPredicate { visit(predicate, types) }
        }
        let types = OperandTypeResolver(model: model, entity: entity)
        if let predicate = plan.predicate { visit(predicate, types) }
        // The relevance of a match depends on all objects of the hierarchy.
        if plan.search != nil { add(model.entities[entity.rootIndex]) }
        for descriptor in plan.sortDescriptors { visit(descriptor.keyPath, types) }
        add(plan.selection, of: entity)
        if let table = plan.table {
            for column in table.columns { visit(column.expression, types) }
            for path in table.groupBy { visit(.keyPath(path), types) }
            if let having = table.having { visit(having, types) }
        }
        if let access { add(access) }
    }

    /// What a condition on objects of an entity reads.
    init(_ condition: ObjectPredicate, on entity: EntityDescription, in catalogue: Catalogue) {
        self.catalogue = catalogue
        add(entity)
        visit(condition, OperandTypeResolver(model: catalogue.model, entity: entity))
    }

    /// Adds what the rules for the entities depend on. References are shown only to objects that can be read.
    private mutating func add(_ access: Access) {
        for index in indices {
            for relationship in model.entities[index].toOnes {
                let destination = model.destination(of: relationship)
                if access.visibility(of: destination) != nil { add(destination) }
            }
        }
        for index in indices {
            let entity = model.entities[index]
            guard let condition = access.visibility(of: entity) else { continue }
            visit(condition, OperandTypeResolver(model: model, entity: entity))
        }
    }

    private mutating func add(_ entity: EntityDescription) { indices.formUnion(entity.kinds) }

    private mutating func step(to entity: EntityDescription) {
        add(entity)
        steps.formUnion(entity.kinds)
    }

    private mutating func add(_ name: String, of entity: EntityDescription) {
        for kind in entity.kinds { properties[kind, default: []].insert(name) }
        // Members of a relationship are stored with the objects on either side.
        guard case .relationship(let relationship) = entity.property(named: name), let inverse = relationship.inverse
        else { return }
        for kind in model.destination(of: relationship).kinds { properties[kind, default: []].insert(inverse.name) }
    }

    private mutating func add(_ selection: Selection, of entity: EntityDescription) {
        for embedding in selection.embedded {
            for destination in destinations(of: embedding, from: entity) {
                if embedding.options == nil { add(destination) } else { step(to: destination) }
                let types = OperandTypeResolver(model: model, entity: destination)
                if let predicate = embedding.options?.predicate { visit(predicate, types) }
                for descriptor in embedding.options?.sortDescriptors ?? [] { visit(descriptor.keyPath, types) }
                if let selection = embedding.selection { add(selection, of: destination) }
            }
        }
    }

    /// The destinations of the relationships that are embedded: subentities may have different ones of the same name.
    private func destinations(of embedding: Selection.Embedding, from entity: EntityDescription) -> [EntityDescription]
    {
        let relationships = model.kinds(of: entity).compactMap { kind in
            catalogue[kind].property(named: embedding.property.name)?.relationship
        }
        return OrderedMembers(relationships.map(model.destination)).members
    }

    // MARK: Expressions

    private mutating func visit(_ predicate: ObjectPredicate, _ types: OperandTypeResolver) {
        predicate.forEachPart({ visit($0, types) }, { visit($0, types) })
    }

    private mutating func visit(_ expression: ObjectExpression, _ types: OperandTypeResolver) {
        switch expression {
        case .keyPath(let root, let keys):
            visit(root, types)
            var end = types.end(of: root)
            for key in keys {
                guard case .name(let name) = key else { continue }
                let owner = end.kind
                end = types.step(name, from: end)
                if case .object(let entity) = owner { add(name, of: entity) }
                if case .object(let entity) = end.kind, name != "self", name != "objectID" { step(to: entity) }
                if case .unknown = end.kind { isUnbounded = true }
            }
        case .function(let function, let operands):
            if function.isVolatile { isVolatile = true }
            for operand in operands { visit(operand, types) }
        case .subquery(let collection, let variable, let condition):
            visit(collection, types)
            var inner = types
            inner.variables[variable] = OperandType(kind: types.end(of: collection).kind)
            visit(condition, inner)
        default: expression.forEachPart({ visit($0, types) }, { visit($0, types) })
        }
    }
}
