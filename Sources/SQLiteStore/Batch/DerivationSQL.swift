// SPDX-License-Identifier: Apache-2.0

// Derived values in SQL, where SQL computes the same values.

import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver

/// The expressions of derived attributes over the row `o`.
struct DerivationSQL {
    private let schema: StoreSchema

    init(_ schema: StoreSchema) {
        self.schema = schema
    }

    /// Nil if the value must be evaluated in memory.
    func value(of attribute: AttributeDescription, _ entity: EntityDescription, _ encoding: ValueEncoding) -> SQL? {
        guard case .keyPath(of: .evaluatedObject, let keys)? = attribute.derivation, keys.count > 1,
            case .name(let first) = keys[0], let relationship = entity.relationship(named: first),
            let rows = RelationshipRows(relationship, of: entity, schema)
        else { return nil }
        if !relationship.isToMany {
            guard keys.count == 2, case .name(let name) = keys[1] else { return nil }
            guard rows.destination.attribute(named: name)?.type == attribute.type else { return nil }
            return column(name, rows.destination, encoding).map { select("m.\($0)", rows) }
        }
        guard encoding == .integer else { return nil }
        switch (keys.count, keys[1], keys.last) {
        case (2, .collection(.count), _): return attribute.type == .int16 ? nil : select("COUNT(*)", rows)
        case (3, .name(let name), .collection(.sum)), (3, .collection(.sum), .name(let name)):
            // A sum of wider integers might overflow.
            guard attribute.type == .int64, let column = column(name, rows.destination, .integer),
                [.int16, .int32].contains(rows.destination.attribute(named: name)?.type)
            else { return nil }
            return select("IFNULL(SUM(m.\(column)), 0)", rows)
        default: return nil
        }
    }

    private func column(_ name: String, _ entity: EntityDescription, _ encoding: ValueEncoding) -> SQL? {
        // If two rows named the same file, each would remove it.
        guard encoding != .externalData, let attribute = entity.attribute(named: name),
            let table = schema.table(of: entity),
            case .value(let place, encoding) = table[entity].attributes[attribute.slot]
        else { return nil }
        return "\(identifier: table.name(ofColumn: place))"
    }

    private func select(_ value: SQL, _ rows: RelationshipRows) -> SQL {
        "(SELECT \(value) \(rows.destinations(ofRows: "SELECT o.Z_PK")))"
    }
}
