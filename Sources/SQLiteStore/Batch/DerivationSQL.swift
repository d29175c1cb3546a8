// SPDX-License-Identifier: Apache-2.0

// Derived values in SQL, as far as they come out the same there.

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

    /// Nil for what only evaluation in memory can say.
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
        case (3, .name(let name), .collection(let aggregate)), (3, .collection(let aggregate), .name(let name)):
            return value(aggregate, of: name, attribute, rows)
        default: return nil
        }
    }

    private func value(
        _ aggregate: CollectionOperator,
        of name: String,
        _ attribute: AttributeDescription,
        _ rows: RelationshipRows
    ) -> SQL? {
        guard let member = rows.destination.attribute(named: name),
            let column = column(name, rows.destination, .integer)
        else { return nil }
        switch aggregate {
        // A sum of wider numbers might not be one any more.
        case .sum where attribute.type == .int64 && (member.type == .int16 || member.type == .int32):
            return select("IFNULL(SUM(m.\(column)), 0)", rows)
        case .minimum where attribute.type == member.type: return select("MIN(m.\(column))", rows)
        case .maximum where attribute.type == member.type: return select("MAX(m.\(column))", rows)
        default: return nil
        }
    }

    private func column(_ name: String, _ entity: EntityDescription, _ encoding: ValueEncoding) -> SQL? {
        guard let attribute = entity.attribute(named: name), let table = schema.table(of: entity),
            case .value(let place, encoding) = table[entity].attributes[attribute.slot]
        else { return nil }
        return "\(identifier: table.name(ofColumn: place))"
    }

    private func select(_ value: SQL, _ rows: RelationshipRows) -> SQL {
        "(SELECT \(value) \(rows.destinations(ofRows: "SELECT o.Z_PK")))"
    }
}
