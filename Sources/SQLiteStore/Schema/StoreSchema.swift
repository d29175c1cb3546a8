// SPDX-License-Identifier: Apache-2.0

// Maps a model to the tables of a store in Core Data's layout.

import Basics
import ObjectGraph

/// The tables of a store for a model.
///
/// 1. The objects of an entity hierarchy share a table. `Z_ENT` is the number of a row's entity; `Z_PK`
///    is unique in the table.
/// 2. A to-one relationship is a column. A to-many relationship with a to-one inverse uses the inverse's column. All
///    others are pairs in a table of their own.
/// 3. Order values are in a column `Z_FOK_…` beside the column of the owner's key, and ascend.
struct StoreSchema: Sendable {
    let model: ManagedObjectModel
    let numbers: EntityNumbers
    /// In the order of their root entities' numbers.
    var tables: [EntityTable]
    var pairs: [RelationshipDescription: PairsView]
    /// The tables of `pairs`, each once, in the order of the numbers in their names.
    var pairTables: [PairTable]
    /// The relationships of `pairs`, in the order of their tables, the owning side first.
    let pairRelationships: [RelationshipDescription]
    /// Indexes of tables by entity index.
    private let places: [Int?]

    init(
        model: ManagedObjectModel,
        numbers: EntityNumbers,
        tables: [EntityTable],
        pairs: [RelationshipDescription: PairsView],
        pairTables: [PairTable]
    ) {
        self.model = model
        self.numbers = numbers
        self.tables = tables
        self.pairs = pairs
        self.pairTables = pairTables
        let ranks = Dictionary(keepingFirst: pairTables.enumerated().map { ($1.name, $0) })
        pairRelationships = pairs.sorted { one, other in
            let one = one.value
            let other = other.value
            return (ranks[one.table.name] ?? 0, one.isOwner ? 0 : 1) < (
                ranks[other.table.name] ?? 0, other.isOwner ? 0 : 1
            )
        }.map(\.key)
        var places = [Int?](repeating: nil, count: model.entities.count)
        for (place, table) in tables.enumerated() {
            for index in table.root.kinds { places[index] = place }
        }
        self.places = places
    }

    /// The table of an entity, or nil if another store keeps the entity.
    func table(of entity: EntityDescription) -> EntityTable? { places[entity.index].map { tables[$0] } }

    /// The pairs of a relationship, or nil if the relationship is stored in rows of entities.
    func pairs(of relationship: RelationshipDescription) -> PairsView? { pairs[relationship] }

    /// The pairs that an entity's objects can be in, at either end, in the order of their tables.
    func ends(of entity: EntityDescription) -> [PairsView] {
        pairRelationships.flatMap { relationship -> [PairsView] in
            guard let view = pairs[relationship] else { return [] }
            let isOwn = entity.relationships.contains(relationship)
            let isMember = relationship.inverse == nil && entity.isKind(of: model.destination(of: relationship))
            let isOther = isMember || isOwn && view.table.isReflexive
            return (isOwn ? [view] : []) + (isOther ? [view.reversed] : [])
        }
    }

    /// The number of the root entity, which owns the keys of its hierarchy.
    func rootNumber(of entity: EntityDescription) -> Int64 { numbers[model.entities[entity.rootIndex]] }
}
