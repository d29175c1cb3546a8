// SPDX-License-Identifier: Apache-2.0

// Evaluation of searches over objects in memory.

import FoundationEssentials
import Predicates

extension Search {
    /// The search with the searched texts of a model; throws if the entity has none.
    package func resolved(for entity: EntityDescription, in model: ManagedObjectModel) throws(GraphError) -> Search {
        var resolved = self
        for kind in model.kinds(of: model.root(of: entity)) { resolved.texts[kind.name] = kind.searchedTexts }
        guard model.kinds(of: entity).contains(where: { resolved.texts[$0.name]?.isEmpty == false }) else {
            throw .nothingSearched(entity)
        }
        return resolved
    }

    func tally(of object: some KeyValueObject) throws -> SearchTally {
        var tally = SearchTally(query)
        guard case .value(.string(let entity))? = try object.operand(forKey: "entity") else { return tally }
        for text in texts[entity] ?? [] {
            guard case .value(let value)? = try object.operand(forKey: text.attribute.name),
                let text = text.text(in: value)
            else { continue }
            tally.add(SearchWords.folded(text).span, for: query)
        }
        return tally
    }

    /// Whether an object matches, and comes after the start of the page.
    func admits(_ object: some KeyValueObject) throws -> Bool {
        let tally = try tally(of: object)
        guard query.matches(tally) else { return false }
        guard isRanked, let start, let statistics else { return true }
        return start.precedes(statistics.score(tally, for: query), object.reference.map(Value.reference) ?? .null)
    }

    /// Objects by relevance, then by ID.
    func ordered<Object: KeyValueObject>(_ objects: [Object]) throws -> [Object] {
        guard let statistics else { return objects }
        var meter = WorkMeter()
        let keys = try objects.map { object in
            try meter.step()
            let score = statistics.score(try tally(of: object), for: query)
            return (score: score, id: object.reference.map(Value.reference) ?? .null)
        }
        return objects.indices.sorted { one, other in
            if keys[one].score != keys[other].score { return keys[one].score > keys[other].score }
            return SearchPosition.byID.compare(keys[one].id, keys[other].id) == .orderedAscending
        }.map { objects[$0] }
    }

    /// The place of an object in the order of relevance.
    func place(of object: some KeyValueObject, _ statistics: SearchStatistics) throws -> SearchPosition {
        let score = statistics.score(try tally(of: object), for: query)
        return SearchPosition(score: score, object: object.reference ?? ObjectReference(uri: ""))
    }
}

extension StoreFetchRequest {
    /// Whether the best match of a search comes first.
    package var isByRelevance: Bool {
        guard let search, search.isRanked, sortDescriptors.isEmpty else { return false }
        switch kind {
        case .snapshots, .objectIDs: return true
        case .count: return false
        case .table(let table): return !table.isGrouped && !table.isDistinct
        }
    }

    /// Whether the request has an order.
    var isOrdered: Bool { !sortDescriptors.isEmpty || isByRelevance }
}

extension GraphError {
    fileprivate static func nothingSearched(_ entity: EntityDescription) -> GraphError {
        GraphError(
            .invalidRequest,
            "\(entity.name) has no attributes in the search index.",
            hint: "Mark an attribute as “searchIndexed” in the model, or use a predicate."
        )
    }
}
