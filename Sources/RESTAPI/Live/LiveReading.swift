// SPDX-License-Identifier: Apache-2.0

// Reads the result of a live query.

import Basics
import JSON
import ObjectGraph
import Predicates

/// A result as read from the stores or from a draft.
struct LiveReading: Sendable {
    let content: LiveContent
    /// Applies commits to the result, or nil if it must be read again.
    var updating: LiveUpdating?
    /// The objects by which a change concerns the result.
    var shown: Set<ManagedObjectID> = []
    /// The position of the state that was read; nil without history.
    var position: HistoryToken?
}

/// What is kept of a result to apply commits to it.
enum LiveUpdating: Sendable {
    case window(LiveWindow, total: LiveTally?)
    case tally(LiveTally)
}

/// Reads live queries.
protocol LiveSource: Sendable {
    /// Reads a query's present result.
    ///
    /// - Parameter state: The state to read; nil for the present one. Drafts ignore it.
    func read(_ plan: LivePlan, at state: LiveState?, in api: API) throws -> LiveReading
}

/// A state of the stores, with its position in their histories.
struct LiveState: Sendable {
    let generation: QueryGenerationToken
    /// Nil if a store keeps no history.
    let position: HistoryToken?

    init(of coordinator: PersistentStoreCoordinator) throws(GraphError) {
        generation = try coordinator.currentQueryGeneration()
        position = coordinator.keepsWholeHistory ? try coordinator.currentHistoryToken(at: generation) : nil
    }
}

extension PersistentStoreCoordinator: LiveSource {
    func read(_ plan: LivePlan, at state: LiveState?, in api: API) throws -> LiveReading {
        let state = try state ?? LiveState(of: self)
        let isKept = state.position != nil && keepsInOneStore(plan.fetch.resource.entity)
        var reading = try read(at: state.generation) { reader in
            try api.liveReading(plan, keepingRows: isKept, from: api.narrowed(reader))
        }
        reading.position = state.position
        return reading
    }
}

extension EditingContext: LiveSource {
    func read(_ plan: LivePlan, at state: LiveState?, in api: API) throws -> LiveReading {
        try perform { try api.liveReading(plan, keepingRows: false, from: api.narrowed($0)) }
    }
}

extension API {
    /// - Parameter isKept: Whether commits are to be applied to the result, if its objects can be evaluated alone.
    fileprivate func liveReading(
        _ plan: LivePlan,
        keepingRows isKept: Bool,
        from reader: some GraphReading
    ) throws -> LiveReading {
        let fetch = plan.fetch
        let isLocal = isKept && LiveDependencies(plan, in: catalogue, for: access).isLocal
        switch fetch.result {
        case .count:
            guard fetch.limit != 0 else { return LiveReading(content: .count(0)) }
            let count = try reader.count(fetch.request)
            guard isLocal, fetch.limit == nil, fetch.offset == 0 else { return LiveReading(content: .count(count)) }
            let tally = LiveTally(LiveCondition(fetch), count: count)
            return LiveReading(content: .count(count), updating: .tally(tally))
        case .dictionary: return LiveReading(content: .table(try liveTable(fetch, from: reader)))
        case .objects, .ids:
            if isLocal, let reading = try liveWindow(plan, from: reader) { return reading }
            return try liveList(plan, from: reader)
        }
    }

    /// A list with the rows that commits are applied to; nil if these can't be kept.
    private func liveWindow(_ plan: LivePlan, from reader: some GraphReading) throws -> LiveReading? {
        let fetch = plan.fetch
        let limit = limit(of: fetch)
        let capacity = LiveWindow.capacity(of: fetch, limit: limit)
        guard limit > 0, capacity <= LiveWindow.limit else { return nil }
        var request = fetch.request
        request.fetchOffset = 0
        request.fetchLimit = capacity
        guard var window = try LiveWindow(fetch, limit: limit, rows: try reader.page(request)) else { return nil }
        var renderer = LiveRenderer(plan, in: catalogue)
        var list = LiveList(items: window.items { renderer.item($0) }, hasSections: plan.section != nil)
        try check(list)
        var total: LiveTally?
        if fetch.countsAll {
            list.total = try reader.count(fetch.allPagesRequest)
            total = list.total.map { LiveTally(LiveCondition(fetch), count: $0) }
        }
        let shown = Set(window.entries.map(\.row.objectID))
        return LiveReading(content: .list(list), updating: .window(window, total: total), shown: shown)
    }

    private func liveList(_ plan: LivePlan, from reader: some GraphReading) throws -> LiveReading {
        let found = try list(plan.fetch, of: nil, from: reader)
        var list = LiveList(items: [], total: found.total, hasSections: plan.section != nil)
        var shown: Set<ManagedObjectID> = []
        switch found.items {
        case .references(let references):
            shown.formUnion(references)
            list.items = references.map { LiveItem($0, json: catalogue.json(referringTo: $0)) }
        case .objects(let objects):
            for object in objects {
                object.collectIDs(into: &shown)
                list.items.append(try item(object, of: plan, from: reader))
            }
        case .rows(let rows):
            for index in rows.rows.indices {
                let object = rows.object(at: index)
                object.collectIDs(into: &shown)
                list.items.append(try item(object, of: plan, from: reader))
            }
        }
        try check(list)
        return LiveReading(content: .list(list), shown: shown)
    }

    private func item(_ object: ObjectDTO, of plan: LivePlan, from reader: some GraphReading) throws -> LiveItem {
        let section = try plan.section.map { section in
            section.json(of: try reader.sortKeys(of: object.row, for: plan.fetch.request).first ?? .null)
        }
        var buffer = JSONBuffer()
        buffer.write(object, in: catalogue)
        return LiveItem(object.row.objectID, json: buffer.bytes, section: section)
    }

    private func liveTable(_ fetch: FetchPlan, from reader: some GraphReading) throws -> [UInt8] {
        guard case .table(var table) = try self.fetch(fetch, reader).content else { return [] }
        table.next = nil
        var buffer = JSONBuffer()
        buffer.limit = options.answerLimit
        buffer.write(table, in: self)
        if buffer.isFull { throw Problem.answerTooLarge(options.answerLimit) }
        return buffer.bytes
    }

    private func check(_ list: LiveList) throws(Problem) {
        let size = list.items.reduce(0) { $0 + $1.json.count }
        if size > options.answerLimit { throw .answerTooLarge(options.answerLimit) }
    }
}

/// Makes the objects of a list from their rows.
struct LiveRenderer: Sendable {
    private let plan: LivePlan
    private let catalogue: Catalogue
    /// By entity index.
    private var shapes: [Int: ObjectShape] = [:]

    init(_ plan: LivePlan, in catalogue: Catalogue) {
        self.plan = plan
        self.catalogue = catalogue
    }

    mutating func item(_ entry: LiveWindow.Entry) -> LiveItem {
        let objectID = entry.row.objectID
        if plan.fetch.result == .ids { return LiveItem(objectID, json: catalogue.json(referringTo: objectID)) }
        var buffer = JSONBuffer()
        buffer.write(ObjectDTO(row: entry.row, shape: shape(of: objectID.entity)), in: catalogue)
        let section = plan.section.map { $0.json(of: entry.keys.first ?? .null) }
        return LiveItem(objectID, json: buffer.bytes, section: section)
    }

    private mutating func shape(of entity: EntityDescription) -> ObjectShape {
        if let shape = shapes[entity.index] { return shape }
        let selection = plan.fetch.selection
        let shape = selection == .all ? catalogue.shape(of: entity) : ObjectShape(selection, of: catalogue[entity])
        shapes[entity.index] = shape
        return shape
    }
}

extension LivePlan.Section {
    /// The name of a section as JSON.
    fileprivate func json(of value: Value) -> [UInt8] {
        var buffer = JSONBuffer()
        buffer.write(value, of: attribute)
        return buffer.bytes
    }
}

extension Catalogue {
    fileprivate func json(referringTo objectID: ManagedObjectID) -> [UInt8] {
        var buffer = JSONBuffer()
        buffer.write(objectID, in: self)
        return buffer.bytes
    }
}

extension ObjectDTO {
    /// Collects the IDs of the object and of all embedded ones.
    fileprivate func collectIDs(into objectIDs: inout Set<ManagedObjectID>) {
        objectIDs.insert(row.objectID)
        for related in related {
            switch related {
            case .one(let object): object?.collectIDs(into: &objectIDs)
            case .many(let objects): for object in objects { object.collectIDs(into: &objectIDs) }
            case .references: break
            }
        }
    }
}
