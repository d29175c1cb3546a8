// SPDX-License-Identifier: Apache-2.0

// Checks to-one relationships: the destination exists, has the stored entity number, and refers back.

import ObjectGraph
import ObjectModel
import SQLiteDriver

extension StoreCheck {
    func toOneFlaws(_ layout: EntityTable.Layout, _ table: EntityTable) throws -> [StoreFlaw] {
        var flaws: [StoreFlaw?] = []
        for (slot, columns) in layout.toOnes.enumerated() {
            let relationship = layout.entity.toOnes[slot]
            guard let columns, let destination = schema.table(of: schema.model.destination(of: relationship)) else {
                continue
            }
            let check = ToOneCheck(
                check: self,
                layout: layout,
                table: table,
                relationship: relationship,
                columns: columns,
                destination: destination
            )
            flaws += [try check.dangling(), try check.misnamed(), try check.oneSided()]
        }
        return flaws.compactMap(\.self)
    }
}

/// Checks one to-one relationship of one entity's objects.
private struct ToOneCheck {
    let check: StoreCheck
    let layout: EntityTable.Layout
    let table: EntityTable
    let relationship: RelationshipDescription
    let columns: ToOneColumns
    let destination: EntityTable

    private var name: SQL { "\(identifier: table.name)" }
    private var key: SQL { "\(identifier: table.name(ofColumn: columns.key))" }
    private var isOwn: SQL { "o.Z_ENT = \(literal: .integer(layout.number))" }
    private var destinationName: String { check.schema.model.destination(of: relationship).name }

    /// A condition that the destination exists and has an allowed entity.
    private var hasDestination: SQL {
        let numbers = check.numbers(of: check.schema.model.destination(of: relationship))
        return """
            EXISTS (SELECT 1 FROM \(identifier: destination.name) AS d WHERE d.Z_PK = o.\(key) AND d.Z_ENT IN \(numbers))
            """
    }

    func dangling() throws -> StoreFlaw? {
        let keys: SQL = """
            SELECT o.Z_PK FROM \(name) AS o WHERE \(isOwn) AND o.\(key) IS NOT NULL AND NOT \(hasDestination) ORDER BY o.Z_PK
            """
        // Deletions leave such references behind if there is no inverse or its delete rule is “no action”.
        let inverse = relationship.inverse.flatMap { inverse in
            check.schema.model.destination(of: relationship).relationship(named: inverse.name)
        }
        let isAllowed = inverse.map { $0.deleteRule == .noAction } ?? true
        var cleared = [columns.key, columns.entity, columns.order].compactMap(\.self).map { place in
            "\(identifier: table.name(ofColumn: place)) = NULL" as SQL
        }
        cleared.append("Z_OPT = ifnull(Z_OPT, 0) + 1")
        let clearing: SQL = "UPDATE \(name) SET \(cleared.joined(separator: ", ")) WHERE Z_PK IN (\(keys))"
        let canBeRepaired = relationship.relationship.isOptional && !isAllowed
        return try check.flaw(
            .dangling,
            isAllowed ? .note : .error,
            of: layout.entity,
            relationship.name,
            keys: keys,
            repair: canBeRepaired ? ("sets the references to nil", [clearing]) : nil
        ) { "\($0.objects("refers", "refer")) to an object of \(destinationName) that doesn't exist." }
    }

    /// Finds stored entity numbers that differ from the destination's.
    func misnamed() throws -> StoreFlaw? {
        guard let place = columns.entity else { return nil }
        let entity: SQL = "\(identifier: table.name(ofColumn: place))"
        let actual: SQL = "(SELECT d.Z_ENT FROM \(identifier: destination.name) AS d WHERE d.Z_PK = o.\(key))"
        let keys: SQL = """
            SELECT o.Z_PK FROM \(name) AS o \
            WHERE \(isOwn) AND o.\(key) IS NOT NULL AND \(hasDestination) AND o.\(entity) IS NOT \(actual) ORDER BY o.Z_PK
            """
        let naming: SQL = "UPDATE \(name) AS o SET \(entity) = \(actual) WHERE o.Z_PK IN (\(keys))"
        return try check.flaw(
            .reference,
            of: layout.entity,
            relationship.name,
            keys: keys,
            repair: ("sets the right entities", [naming])
        ) { "\($0.objects("has", "have")) a wrong entity for the referenced object." }
    }

    /// Finds one-to-one relationships in which the destination doesn't refer back.
    func oneSided() throws -> StoreFlaw? {
        let target = check.schema.model.destination(of: relationship)
        guard let inverse = relationship.inverse, !inverse.isToMany, let back = destination[target].toOnes[inverse.slot]
        else { return nil }
        let backKey: SQL = "\(identifier: destination.name(ofColumn: back.key))"
        let numbers = check.numbers(of: target)
        let keys: SQL = """
            SELECT o.Z_PK FROM \(name) AS o JOIN \(identifier: destination.name) AS d ON d.Z_PK = o.\(key) \
            WHERE \(isOwn) AND d.Z_ENT IN \(numbers) AND d.\(backKey) IS NOT o.Z_PK ORDER BY o.Z_PK
            """
        // Repairable only if the destination refers to no object and no other object refers to it.
        var set: [SQL] = ["\(backKey) = (SELECT o.Z_PK FROM \(name) AS o WHERE o.\(key) = d.Z_PK)"]
        if let place = back.entity {
            let column: SQL = "\(identifier: destination.name(ofColumn: place))"
            set.append("\(column) = (SELECT o.Z_ENT FROM \(name) AS o WHERE o.\(key) = d.Z_PK)")
        }
        set.append("Z_OPT = ifnull(Z_OPT, 0) + 1")
        let isOnly: SQL = "(SELECT count(*) FROM \(name) AS o WHERE o.\(key) = d.Z_PK) = 1"
        let leading: SQL = """
            UPDATE \(identifier: destination.name) AS d SET \(set.joined(separator: ", ")) \
            WHERE d.\(backKey) IS NULL AND d.Z_ENT IN \(numbers) AND \(isOnly) \
            AND d.Z_PK IN (SELECT o.\(key) FROM \(name) AS o WHERE o.Z_PK IN (\(keys)))
            """
        let open = try check.connection.first(
            """
            SELECT 1 FROM \(name) AS o JOIN \(identifier: destination.name) AS d ON d.Z_PK = o.\(key) \
            WHERE o.Z_PK IN (\(keys)) AND d.\(backKey) IS NULL AND \(isOnly)
            """
        ) { _ in true }
        return try check.flaw(
            .inverse,
            of: layout.entity,
            relationship.name,
            keys: keys,
            repair: open == true ? ("sets the inverse if it is nil", [leading]) : nil
        ) {
            "\($0.objects("refers", "refer")) to an object of \(target.name) whose “\(inverse.name)” doesn't refer back."
        }
    }
}
