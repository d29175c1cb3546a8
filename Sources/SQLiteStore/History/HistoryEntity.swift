// SPDX-License-Identifier: Apache-2.0

// How the history names an entity's properties.

import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver

/// The properties of an entity in the history.
///
/// 1. `ZCOLUMNS` has a bit for each stored property, in the order of their names: the first one is the lowest bit of the
///    first byte.
/// 2. `ZTOMBSTONE0` and the following have the attributes that the model preserves after deletion, by name.
struct HistoryEntity: Sendable {
    /// The names of the stored properties, in the order of their bits.
    let names: [String]
    let tombstones: [Tombstone]
    private let attributeBits: [Int?]
    private let toOneBits: [Int?]
    private let toManyBits: [Int?]
    private let derived: [DerivedBit]

    /// A preserved attribute.
    struct Tombstone: Sendable {
        let attribute: AttributeDescription
        /// Its column in the table of the entity.
        let column: String
        let encoding: ValueEncoding
    }

    /// A derived attribute, and the properties of the same object that it is computed from.
    private struct DerivedBit: Sendable {
        let bit: Int
        let sources: HistoryColumns
        let isNow: Bool
        /// Whether other objects aren't used.
        let isLocal: Bool
    }

    /// Nil for an entity that another store keeps.
    init?(_ entity: EntityDescription, in schema: StoreSchema, _ derivations: Derivations) {
        guard let table = schema.table(of: entity) else { return nil }
        let attributes = entity.attributes.filter(\.isPersistent)
        let relationships = entity.relationships.filter { !$0.isTransient }
        let names = (attributes.map(\.name) + relationships.map(\.name)).sorted()
        let bits = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        self.names = names
        attributeBits = entity.attributes.map { $0.isPersistent ? bits[$0.name] : nil }
        toOneBits = entity.toOnes.map { bits[$0.name] }
        toManyBits = entity.toManys.map { bits[$0.name] }
        derived = derivations.attributes(of: entity).compactMap { value in
            guard let bit = bits[value.attribute.name] else { return nil }
            var sources = HistoryColumns(count: names.count)
            for key in value.keysRead { sources.insert(bits[key]) }
            return DerivedBit(bit: bit, sources: sources, isNow: value.isNow, isLocal: value.isLocal)
        }
        let layout = table[entity]
        tombstones = attributes.filter(\.attribute.isPreservedAfterDeletion).sorted { $0.name < $1.name }
            .compactMap { attribute in
                guard case .value(let place, let encoding) = layout.attributes[attribute.slot],
                    encoding != .externalData
                else { return nil }
                return Tombstone(attribute: attribute, column: table.name(ofColumn: place), encoding: encoding)
            }
    }

    /// The columns of an update, with derived attributes that it may have changed.
    ///
    /// - Parameter isAlone: Whether no other object was changed, which values could be derived from.
    func columns(attributes: some Sequence<Int>, toOnes: some Sequence<Int>, isAlone: Bool) -> HistoryColumns {
        var columns = HistoryColumns(count: names.count)
        for slot in attributes { columns.insert(attributeBits[slot]) }
        for slot in toOnes { columns.insert(toOneBits[slot]) }
        addDerived(to: &columns, isAlone: isAlone)
        return columns
    }

    /// The named properties, with derived attributes that may have changed with them.
    func columns(setting names: some Sequence<String>) -> HistoryColumns {
        var columns = columns(named: names)
        addDerived(to: &columns, isAlone: false)
        return columns
    }

    private func addDerived(to columns: inout HistoryColumns, isAlone: Bool) {
        for value in derived where value.isNow || value.sources.intersects(columns) || !isAlone && !value.isLocal {
            columns.insert(value.bit)
        }
    }

    func columns(recomputed slots: some Sequence<Int>) -> HistoryColumns {
        var columns = HistoryColumns(count: names.count)
        for slot in slots { columns.insert(attributeBits[slot]) }
        return columns
    }

    func columns(ofMembers relationship: Int) -> HistoryColumns {
        var columns = HistoryColumns(count: names.count)
        columns.insert(toManyBits[relationship])
        return columns
    }

    /// Exactly the named properties.
    func columns(named names: some Sequence<String>) -> HistoryColumns {
        var columns = HistoryColumns(count: self.names.count)
        for name in names { columns.insert(self.names.firstIndex(of: name)) }
        return columns
    }

    /// All derived attributes.
    var derivedColumns: HistoryColumns {
        var columns = HistoryColumns(count: names.count)
        for value in derived { columns.insert(value.bit) }
        return columns
    }

    func names(of columns: HistoryColumns) -> [String] {
        names.indices.lazy.filter(columns.contains).map { names[$0] }
    }
}

/// A set of properties, as `ZCOLUMNS` stores it.
struct HistoryColumns: Hashable, Sendable {
    private(set) var bytes: [UInt8]

    init(count: Int) { bytes = Array(repeating: 0, count: (count + 7) / 8) }

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func insert(_ bit: Int?) {
        guard let bit else { return }
        bytes[bit / 8] |= 1 << (bit % 8)
    }

    mutating func formUnion(_ other: HistoryColumns) {
        for place in bytes.indices where place < other.bytes.count { bytes[place] |= other.bytes[place] }
    }

    func contains(_ bit: Int) -> Bool { bit / 8 < bytes.count && bytes[bit / 8] & (1 << (bit % 8)) != 0 }

    func intersects(_ other: HistoryColumns) -> Bool { zip(bytes, other.bytes).contains { $0 & $1 != 0 } }
}
