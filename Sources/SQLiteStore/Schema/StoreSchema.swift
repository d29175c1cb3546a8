// SPDX-License-Identifier: Apache-2.0

// Where everything of a model stands in the tables of a store, in the layout that Core Data gives its own.

import ObjectGraph

/// The tables of a store for a model.
///
/// 1. An entity's objects are in the one table of its hierarchy; `Z_ENT` has the number of their own entity, and `Z_PK` numbers
///    all of them together.
/// 2. A to-one relationship is a column. A to-many one whose inverse is to one is the inverse's column. All other ones are
///    pairs in a table of their own.
/// 3. An order of members is in the column that says who a member's owner is, beside it: in `Z_FOK_…`, ascending.
struct StoreSchema: Sendable {
    let model: ManagedObjectModel
    let numbers: EntityNumbers
    /// In the order of the numbers of their entities.
    var tables: [EntityTable]
    var pairs: [RelationshipDescription: PairsView]
    /// The tables of `pairs`, each once, in the order of their names' numbers.
    var pairTables: [PairTable]
    /// The relationships of `pairs`, in the order of their tables, the owner's first.
    let pairRelationships: [RelationshipDescription]
    /// By the place of an entity in the model.
    private let places: [Int?]

    init(
        model: ManagedObjectModel,
        numbers: EntityNumbers,
        tables: [EntityTable],
        pairs: [RelationshipDescription: PairsView],
        pairTables: [PairTable]
    ) {
        (self.model, self.numbers, self.tables, self.pairs) = (model, numbers, tables, pairs)
        self.pairTables = pairTables
        let ranks = Dictionary(pairTables.enumerated().map { ($1.name, $0) }) { first, _ in first }
        pairRelationships = pairs.sorted { one, other in
            let (one, other) = (one.value, other.value)
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

    /// The table that has the objects of an entity; nil where another store has them.
    func table(of entity: EntityDescription) -> EntityTable? { places[entity.index].map { tables[$0] } }

    /// How a relationship that isn't told by the rows of entities stands among the pairs; nil for all others.
    func pairs(of relationship: RelationshipDescription) -> PairsView? { pairs[relationship] }

    /// The pairs that an object of an entity may be at either end of, in the order of their tables.
    func ends(of entity: EntityDescription) -> [PairsView] {
        pairRelationships.flatMap { relationship -> [PairsView] in
            guard let view = pairs[relationship] else { return [] }
            let isOwn = entity.relationships.contains(relationship)
            let isMember = relationship.inverse == nil && entity.isKind(of: model.destination(of: relationship))
            let isOther = isMember || isOwn && view.table.isReflexive
            return (isOwn ? [view] : []) + (isOther ? [view.reversed] : [])
        }
    }

    /// The number of the entity that has the keys of a whole hierarchy.
    func rootNumber(of entity: EntityDescription) -> Int64 { numbers[model.entities[entity.rootIndex]] }
}
