// SPDX-License-Identifier: Apache-2.0

// The numbers of entities in a store, used in `Z_ENT` and in table names.

import ObjectGraph
import ObjectModel

/// The numbers of entities: counted from one, depth first, siblings by name without regard to case.
struct EntityNumbers: Sendable {
    private let byIndex: [Int64]
    private let byNumber: [Int64: EntityDescription]
    /// The entities in that order.
    let entities: [EntityDescription]

    /// - Parameters:
    ///   - stored: The numbers in a store by entity name. A renamed entity has its former name there, or gets a number
    ///     by the rule.
    ///   - reserved: Numbers that no other entity may get.
    ///   - isKept: Whether the store keeps an entity's objects; other entities have no number.
    init(
        _ model: ManagedObjectModel,
        stored: [String: Int64] = [:],
        reserved: Set<Int64> = [],
        where isKept: (EntityDescription) -> Bool = { _ in true }
    ) {
        let children = Dictionary(grouping: model.entities.filter(isKept)) { entity in
            entity.entity.parentName.flatMap(model.entity(named:)).flatMap { isKept($0) ? $0.name : nil }
        }
        func ordered(_ parent: String?) -> [EntityDescription] {
            (children[parent] ?? []).sorted { ($0.name.lowercased(), $0.name) < ($1.name.lowercased(), $1.name) }
        }
        var entities: [EntityDescription] = []
        var pending = Array(ordered(nil).reversed())
        while let entity = pending.popLast() {
            entities.append(entity)
            pending += ordered(entity.name).reversed()
        }
        self.entities = entities
        var byIndex = Array(repeating: Int64(0), count: model.entities.count)
        var byNumber: [Int64: EntityDescription] = [:]
        func give(_ number: Int64, to entity: EntityDescription) {
            byIndex[entity.index] = number
            byNumber[number] = entity
        }
        // A file may contain any number, even the greatest.
        func unused() -> Int64 {
            let (next, overflows) = max(byNumber.keys.max() ?? 0, reserved.max() ?? 0).addingReportingOverflow(1)
            guard overflows else { return next }
            return (1...Int64(byNumber.count + 1)).first { byNumber[$0] == nil } ?? 0
        }
        for entity in entities { if let number = stored[entity.name] { give(number, to: entity) } }
        for (place, entity) in entities.enumerated() where byIndex[entity.index] == 0 {
            let former = entity.entity.renamingIdentifier.flatMap { stored[$0] }
            let candidates = [former, Int64(place) + 1].compactMap(\.self)
                .filter { byNumber[$0] == nil && !reserved.contains($0) }
            give(candidates.first ?? unused(), to: entity)
        }
        self.byIndex = byIndex
        self.byNumber = byNumber
    }

    /// The numbers of all entities.
    var all: [Int64] { entities.map { self[$0] } }

    /// Zero for an entity that another store keeps.
    subscript(entity: EntityDescription) -> Int64 { byIndex[entity.index] }

    /// The entity of a number, or nil if the model has none.
    func entity(_ number: Int64) -> EntityDescription? { byNumber[number] }
}
