// SPDX-License-Identifier: Apache-2.0

// Computes the tables of a model, with Core Data's names and columns.

import ObjectGraph
import ObjectModel

extension StoreSchema {
    /// The tables of a new store, for the entities that have numbers.
    init(_ model: ManagedObjectModel, _ numbers: EntityNumbers) {
        var builder = SchemaBuilder(model, numbers)
        self = builder.schema()
    }
}

private struct SchemaBuilder {
    private let model: ManagedObjectModel
    private let numbers: EntityNumbers
    private var tableNames = UniqueNames(["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"])
    private var pairs: [RelationshipDescription: PairsView] = [:]
    private var pairTables: [PairTable] = []

    init(_ model: ManagedObjectModel, _ numbers: EntityNumbers) {
        self.model = model
        self.numbers = numbers
    }

    mutating func schema() -> StoreSchema {
        var builders: [TableBuilder] = []
        for root in numbers.entities where root.index == root.rootIndex {
            let entities = numbers.entities.filter { root.kinds.contains($0.index) }
            builders.append(TableBuilder(root, entities, named: tableNames.next("Z" + root.name.uppercased())))
        }
        for builder in builders.indices { builders[builder].addProperties(model, numbers) }
        for entity in numbers.entities {
            for relationship in entity.ownRelationships where relationship.isManyToMany && !relationship.isTransient {
                add(relationship, of: entity)
            }
        }
        return StoreSchema(
            model: model,
            numbers: numbers,
            tables: builders.map { $0.table() },
            pairs: pairs,
            pairTables: pairTables
        )
    }

    private mutating func add(
        _ relationship: RelationshipDescription,
        of entity: EntityDescription
    ) {
        guard pairs[relationship] == nil else { return }
        let destination = model.destination(of: relationship)
        guard numbers[destination] != 0 else { return }
        guard let inverse = relationship.inverse.flatMap({ destination.relationship(named: $0.name) }) else {
            return addPlain(relationship, of: entity)
        }
        if inverse == relationship { return addReflexive(relationship, of: entity) }
        let isOwner = owns(relationship, of: entity, inverse, of: destination)
        let (owning, owned) = isOwner ? (relationship, inverse) : (inverse, relationship)
        let (owner, member) = isOwner ? (entity, destination) : (destination, entity)
        let ownKey = "\(numbers[owner])\(owned.name.uppercased())"
        let memberKey = "\(numbers[member])\(owning.name.uppercased())"
        let table = PairTable(
            name: tableNames.next("Z_\(numbers[owner])\(owning.name.uppercased())"),
            owner: .init(key: "Z_" + ownKey, order: owned.isOrdered ? "Z_FOK_" + ownKey : nil),
            member: .init(key: "Z_" + memberKey, order: owning.isOrdered ? "Z_FOK_" + memberKey : nil),
            isReflexive: false
        )
        pairTables.append(table)
        pairs[owning] = PairsView(table: table, isOwner: true)
        pairs[owned] = PairsView(table: table, isOwner: false)
    }

    /// Whether this side owns the pairs. The owner is the side with subentities; else the entity with the lower number;
    /// within one entity, the relationship with the name that sorts last.
    private func owns(
        _ relationship: RelationshipDescription,
        of entity: EntityDescription,
        _ inverse: RelationshipDescription,
        of destination: EntityDescription
    ) -> Bool {
        let isAbove = entity.kinds.count > 1
        let othersAre = destination.kinds.count > 1
        if isAbove != othersAre { return isAbove }
        if entity != destination { return numbers[entity] < numbers[destination] }
        return relationship.name.lowercased() > inverse.name.lowercased()
    }

    private mutating func addReflexive(_ relationship: RelationshipDescription, of entity: EntityDescription) {
        let key = "\(numbers[entity])\(relationship.name.uppercased())"
        let order = relationship.isOrdered ? "Z_FOK_" + key : nil
        let table = PairTable(
            name: tableNames.next("Z_" + key),
            owner: .init(key: "REFLEXIVE", order: nil),
            member: .init(key: "Z_" + key, order: order),
            isReflexive: true
        )
        pairTables.append(table)
        pairs[relationship] = PairsView(table: table, isOwner: true)
    }

    /// Adds a relationship without an inverse; its members may have any number of owners. Core Data has a column in
    /// the members' table instead, which allows one owner.
    private mutating func addPlain(_ relationship: RelationshipDescription, of entity: EntityDescription) {
        let key = "\(numbers[model.destination(of: relationship)])\(relationship.name.uppercased())"
        let table = PairTable(
            name: tableNames.next("Z_\(numbers[entity])\(relationship.name.uppercased())"),
            owner: .init(key: "Z_\(numbers[entity])OWNER", order: nil),
            member: .init(key: "Z_" + key, order: relationship.isOrdered ? "Z_FOK_" + key : nil),
            isReflexive: false
        )
        pairTables.append(table)
        pairs[relationship] = PairsView(table: table, isOwner: true)
    }
}

/// Collects the columns of one table.
private struct TableBuilder {
    let root: EntityDescription
    private let name: String
    private let entities: [EntityDescription]
    private var names = UniqueNames(SystemColumn.all)
    /// The columns in the order of their naming, with ranks that determine their order in the table.
    private var columns: [(column: Column, rank: Int)] = []
    private var attributes: [AttributeDescription: AttributeColumns] = [:]
    private var toOnes: [RelationshipDescription: ToOneColumns] = [:]
    private var layoutNumbers: [Int64] = []

    init(_ root: EntityDescription, _ entities: [EntityDescription], named name: String) {
        self.root = root
        self.entities = entities
        self.name = name
    }

    /// Ranks group the columns: integers and to-one relationships first, by entity, bytes last.
    private enum Rank {
        static let orders = 1_000_000
        static func attribute(_ group: Int, _ entity: Int) -> Int { group == 0 ? 2 * entity : 1_000_000 + group }
        static func toOne(_ entity: Int) -> Int { 2 * entity + 1 }
    }

    mutating func addProperties(_ model: ManagedObjectModel, _ numbers: EntityNumbers) {
        layoutNumbers = root.kinds.map { numbers[model.entities[$0]] }
        for (place, entity) in entities.enumerated() {
            for attribute in entity.ownAttributes.sorted(by: { $0.name.lowercased() < $1.name.lowercased() }) {
                attributes[attribute] = add(attribute, "Z", place)
            }
            let toOnes = entity.ownRelationships.filter { !$0.isToMany && !$0.isTransient }
            for relationship in toOnes.sorted(by: { $0.name.lowercased() < $1.name.lowercased() }) {
                add(relationship, place, model, numbers)
            }
        }
    }

    private mutating func add(_ attribute: AttributeDescription, _ prefix: String, _ place: Int) -> AttributeColumns {
        guard attribute.isPersistent else { return .none }
        let name = prefix + attribute.name.uppercased()
        if let encoding = ValueEncoding(attribute) {
            return .value(
                add(name, encoding.declaration, rank: Rank.attribute(encoding.group, place)),
                encoding
            )
        }
        let presence = add(name, .integer, rank: Rank.attribute(0, place))
        return .composite(presence: presence, attribute.elements.map { ($0, add($0, name + "_", place)) })
    }

    private mutating func add(
        _ relationship: RelationshipDescription,
        _ place: Int,
        _ model: ManagedObjectModel,
        _ numbers: EntityNumbers
    ) {
        let destination = model.destination(of: relationship)
        let key = add("Z" + relationship.name.uppercased(), .integer, rank: Rank.toOne(place))
        let name = String(columns[key].column.name.dropFirst())
        var entity: Int?
        var order: Int?
        if destination.kinds.count > 1 {
            entity = add("Z\(numbers[destination])_\(name)", .integer, rank: Rank.toOne(place))
        }
        if relationship.inverse?.isOrdered ?? false {
            order = add("Z_FOK_\(name)", .integer, rank: Rank.orders)
        }
        toOnes[relationship] = ToOneColumns(key: key, entity: entity, order: order)
    }

    private mutating func add(_ name: String, _ declaration: Column.Declaration, rank: Int) -> Int {
        columns.append((Column(name: names.next(name), declaration: declaration), rank))
        return columns.count - 1
    }

    func table() -> EntityTable {
        let order = columns.indices.sorted { (columns[$0].rank, $0) < (columns[$1].rank, $1) }
        var places = Array(repeating: 0, count: columns.count)
        for (new, old) in order.enumerated() { places[old] = new }
        let layouts = root.kinds.enumerated().map { offset, index in
            let entity = entities.first { $0.index == index } ?? root
            return EntityTable.Layout(
                entity: entity,
                number: layoutNumbers[offset],
                attributes: entity.attributes.map { (attributes[$0] ?? .none).moved(places) },
                toOnes: entity.toOnes.map { toOnes[$0]?.moved(places) }
            )
        }
        return EntityTable(name: name, root: root, columns: order.map { columns[$0].column }, layouts: layouts)
    }
}

/// Makes names unique by appending numbers.
private struct UniqueNames {
    private var taken: Set<String>

    init(_ taken: [String]) {
        self.taken = Set(taken)
    }

    mutating func next(_ name: String) -> String {
        var unique = name
        var number = 0
        while !taken.insert(unique).inserted {
            number += 1
            unique = name + "\(number)"
        }
        return unique
    }
}

extension AttributeColumns {
    fileprivate func moved(_ places: [Int]) -> AttributeColumns {
        switch self {
        case .none: .none
        case .value(let place, let encoding): .value(places[place], encoding)
        case .composite(let presence, let elements):
            .composite(presence: presence.map { places[$0] }, elements.map { ($0, $1.moved(places)) })
        }
    }
}

extension ToOneColumns {
    fileprivate func moved(_ places: [Int]) -> ToOneColumns {
        ToOneColumns(key: places[key], entity: entity.map { places[$0] }, order: order.map { places[$0] })
    }
}

extension EntityDescription {
    /// The attributes that aren't inherited.
    fileprivate var ownAttributes: [AttributeDescription] { Array(attributes.suffix(entity.attributes.count)) }

    /// The relationships that aren't inherited.
    var ownRelationships: [RelationshipDescription] {
        entity.relationships.compactMap { relationship(named: $0.name) }
    }
}
