// SPDX-License-Identifier: Apache-2.0

// Reads the objects of relationships for the rows of a page.

import FoundationEssentials
import ObjectGraph
import SQLiteDriver

extension RelatedFetch {
    /// The members of a to-many relationship; nil if SQL can't express the request.
    ///
    /// - Parameter rows: The reader of the members' rows.
    func page(
        along relationship: RelationshipDescription,
        owners: RowPage.SubSequence,
        _ rows: RowReader,
        now: Date = .now
    ) throws -> RelatedPage? {
        var related = RelatedPageBuilder(reader, ownerCount: owners.count)
        let having = owners.having(relationship)
        guard request.limit != 0, let owner = having.entity else { return related.page }
        let statement: SQL?
        do throws(Untranslatable) {
            statement = try self.statement(relationship, of: owner, having.owners.map(\.key), rows, now)
        } catch {
            return nil
        }
        guard let statement else { return related.page }
        let meter = ReadMeter()
        // The statement returns the members of one owner after those of another, by the owners' keys.
        var next = having.owners.sorted { $0.key < $1.key }[...]
        let isShared = relationship.inverse?.isToMany != false
        try reader.connection.run(statement) { row in
            let key = row.int64(0)
            while let first = next.first, first.key < key { next.removeFirst() }
            guard let owner = next.first, owner.key == key else { return }
            try related.append(row.int64(1), of: owner.place, isShared: isShared) { page in
                try meter.count(in: &page) { rows.append(row, to: &$0, from: 1) }
            }
        }
        return related.page
    }
}

extension StoreReader {
    /// The objects of a to-one relationship.
    ///
    /// - Parameter rows: The reader of the objects' rows.
    func relatedPage(
        alongToOne relationship: RelationshipDescription,
        owners: RowPage.SubSequence,
        _ rows: RowReader
    ) throws -> RelatedPage {
        var destinations: [(key: Int64, entity: Int)?] = Array(repeating: nil, count: owners.count)
        for owner in owners.having(relationship).owners {
            destinations[owner.place] = owners[owners.startIndex + owner.place].destination(slot: relationship.slot)
        }
        var page = RowPageBuilder(model: schema.model, store: tables.identifier)
        var places: [Int64: Int] = [:]
        let keys = Set(destinations.lazy.compactMap { $0?.key }).sorted()
        if !keys.isEmpty {
            let meter = ReadMeter()
            try connection.run(rows.query(keys)) { row in
                places[row.int64(0)] = places.count
                try meter.count(in: &page) { rows.append(row, to: &$0) }
            }
        }
        let found = page.page
        let model = schema.model
        var ranges: [Range<Int>] = []
        var all: [Int] = []
        for destination in destinations {
            let start = all.count
            // The row with the key belongs to another object unless its entity matches.
            if let destination, let place = places[destination.key],
                found[place].entity.isKind(of: model.entities[destination.entity])
            {
                all.append(place)
            }
            ranges.append(start..<all.count)
        }
        return RelatedPage(rows: found, places: all, ranges: ranges)
    }
}

/// A related page while its rows are read, owner by owner.
private struct RelatedPageBuilder {
    private var rows: RowPageBuilder
    private var places: [Int] = []
    private var ranges: [Range<Int>]
    private var count = 0
    /// The places of rows that may have several owners, by key.
    private var known: [Int64: Int] = [:]

    init(_ reader: StoreReader, ownerCount: Int) {
        rows = RowPageBuilder(model: reader.schema.model, store: reader.tables.identifier)
        ranges = Array(repeating: 0..<0, count: ownerCount)
    }

    var page: RelatedPage { RelatedPage(rows: rows.page, places: places, ranges: ranges) }

    /// Appends an object of an owner, whose other objects are appended before and after it, and its row unless another
    /// owner has it too.
    mutating func append(
        _ key: Int64,
        of owner: Int,
        isShared: Bool,
        appendRow: (inout RowPageBuilder) throws -> Void
    ) throws {
        let start = ranges[owner].isEmpty ? places.count : ranges[owner].lowerBound
        if isShared, let place = known[key] {
            places.append(place)
        } else {
            if isShared { known[key] = count }
            places.append(count)
            count += 1
            try appendRow(&rows)
        }
        ranges[owner] = start..<places.count
    }
}

extension RowPage.SubSequence {
    /// The rows whose entities have a relationship, by key and place, and one of these entities.
    fileprivate func having(
        _ relationship: RelationshipDescription
    ) -> (owners: [(key: Int64, place: Int)], entity: EntityDescription?) {
        let entities = base.entities(of: indices)
        let having = entities.filter { $0.relationships.contains(relationship) }
        let hasAll = having.count == entities.count
        var owners: [(key: Int64, place: Int)] = []
        owners.reserveCapacity(count)
        for (place, row) in enumerated() where hasAll || having.contains(where: { $0 === row.entity }) {
            owners.append((row.key, place))
        }
        return (owners, having.first)
    }
}
