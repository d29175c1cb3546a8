// SPDX-License-Identifier: Apache-2.0

// Random batches and saves with live contexts, which must show the content of a plain graph after each step.

import ObjectGraph
import Predicates
import TestSupport
import Testing

@Suite("Batches, saves and live contexts compared with a plain graph")
struct RandomBatchTests {
    @Test(
        "the engine and the plain graph are the same after each of many random steps",
        arguments: SeededGenerator.seeds(20)
    )
    func sameGraph(seed: UInt64) async throws {
        var run = try BatchRun(seed: seed)
        for _ in 0..<60 {
            try await run.step()
            try await run.compare(lazily: true)
        }
        try await run.compare(lazily: false)
    }
}

/// A change of one object in a context, with objects as numbers.
private enum Change: Sendable, CustomStringConvertible {
    case insert(Int, String)
    case relate(PlainGraph.Link, Int, Int, fromInverse: Bool)
    case unrelate(PlainGraph.Link, Int, Int, fromInverse: Bool)
    case delete(Int)

    var description: String {
        switch self {
        case .insert(let number, let entity): "insert \(entity) \(number)"
        case .relate(let link, let one, let other, _): "relate \(one) \(link.name) \(other)"
        case .unrelate(let link, let one, let other, _): "unrelate \(one) \(link.name) \(other)"
        case .delete(let number): "delete \(number)"
        }
    }
}

/// How a batch is executed.
private enum Executor {
    typealias Result = (count: Int, objectIDs: [ManagedObjectID])

    case coordinator(PersistentStoreCoordinator)
    case context(ManagedObjectContext)
    /// As pending changes of objects, which are saved.
    case draft(ManagedObjectContext)

    func execute(_ request: BatchInsertRequest) throws -> Result {
        switch self {
        case .coordinator(let coordinator): Self.result(try coordinator.execute(request))
        case .context(let context): Self.result(try context.execute(request))
        case .draft(let context): try Self.saved(context.draft(request), context)
        }
    }

    func execute(_ request: BatchUpdateRequest) throws -> Result {
        switch self {
        case .coordinator(let coordinator): Self.result(try coordinator.execute(request))
        case .context(let context): Self.result(try context.execute(request))
        case .draft(let context): try Self.saved(context.draft(request), context)
        }
    }

    func execute(_ request: BatchDeleteRequest) throws -> Result {
        switch self {
        case .coordinator(let coordinator): Self.result(try coordinator.execute(request))
        case .context(let context): Self.result(try context.execute(request))
        case .draft(let context): try Self.saved(context.draft(request), context)
        }
    }

    private static func result(_ result: BatchResult) -> Result { (result.count, result.objectIDs) }

    private static func saved(_ result: BatchResult, _ context: ManagedObjectContext) throws -> Result {
        let objects = result.objectIDs.map(context.object(with:))
        try context.save()
        return (result.count, objects.map(\.objectID))
    }
}

private struct BatchRun {
    private let world: World
    private var random: SeededGenerator
    private var plain = PlainGraph()
    private var ids: [Int: ManagedObjectID] = [:]
    private let lives: [LiveContext]
    /// The views that each live context has edited and not saved.
    private var pending: [[Int: Int64]]
    private var made = 0
    private var log: [String] = []

    private static let entities = ["User", "Profile", "Post", "Tag", "Page"]

    init(seed: UInt64) throws {
        world = try World()
        random = SeededGenerator(seed: seed)
        lives = (0..<3).map { [world] _ in world.coordinator.liveContext() }
        pending = Array(repeating: [:], count: lives.count)
    }

    mutating func step() async throws {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<25: try await save()
        case ..<35: try await edit()
        case ..<60: try await insertBatch()
        case ..<85: try await updateBatch()
        default: try await deleteBatch()
        }
    }

    // MARK: Saves

    /// Changes some objects in a new context or a live one, and saves it.
    private mutating func save() async throws {
        var changes: [Change] = []
        for _ in 0..<Int.random(in: 1...6, using: &random) { plan(&changes) }
        if random.chance(50), let doomed = alive(Self.entities.randomElement(using: &random) ?? "") {
            changes.append(.delete(doomed))
            plain.delete([doomed])
        }
        let live = lives.indices.randomElement(using: &random).flatMap { random.chance(60) ? $0 : nil }
        log.append("save \(changes) in \(live ?? -1)")
        let (known, planned) = (ids, changes)
        let body: @Sendable (ManagedObjectContext) throws -> [Int: ManagedObjectID] = { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            return try BatchRun.make(planned, known, context)
        }
        ids.merge(try await perform(in: live, body)) { $1 }
        guard let live else { return }
        for (number, views) in pending[live] where plain.entities[number] != nil { plain.views[number] = views }
        pending[live] = [:]
    }

    private mutating func plan(_ changes: inout [Change]) {
        switch Int.random(in: 0..<10, using: &random) {
        case ..<3:
            let entity = Self.entities.randomElement(using: &random) ?? ""
            changes.append(.insert(new(entity), entity))
        case ..<8:
            guard let link = PlainGraph.links.randomElement(using: &random), let one = alive(link.from),
                let other = alive(link.to)
            else { return }
            changes.append(.relate(link, one, other, fromInverse: random.chance(50)))
            plain.relate(one, other, by: link)
        default:
            let pairs = PlainGraph.links.flatMap { link in (plain.pairs[link] ?? []).map { (link, $0) } }
                .sorted { ($0.0.name, $0.1.one, $0.1.other) < ($1.0.name, $1.1.one, $1.1.other) }
            guard let (link, pair) = pairs.randomElement(using: &random) else { return }
            changes.append(.unrelate(link, pair.one, pair.other, fromInverse: random.chance(50)))
            plain.unrelate(pair.one, pair.other, by: link)
        }
    }

    /// Makes changes and saves them, and returns the IDs of new objects.
    private static func make(
        _ changes: [Change],
        _ ids: [Int: ManagedObjectID],
        _ context: ManagedObjectContext
    ) throws -> [Int: ManagedObjectID] {
        var new: [Int: ManagedObject] = [:]
        func object(_ number: Int) throws -> ManagedObject {
            try new[number] ?? context.existingObject(with: try #require(ids[number]))
        }
        for change in changes {
            switch change {
            case .insert(let number, let entity):
                let object = try context.insert(entity)
                let (key, value) = name(number, entity)
                try object.setValue(value, forKey: key)
                new[number] = object
            case .relate(let link, let one, let other, let fromInverse):
                if fromInverse {
                    try object(other).relate(link.inverse, object(one))
                } else {
                    try object(one).relate(link.name, object(other))
                }
            case .unrelate(let link, let one, let other, let fromInverse):
                if fromInverse {
                    try object(other).unrelate(link.inverse, object(one))
                } else {
                    try object(one).unrelate(link.name, object(other))
                }
            case .delete(let number): context.delete(try object(number))
            }
        }
        try context.save()
        // An object that was deleted before its first save never had a permanent ID.
        return new.mapValues(\.objectID).filter { !$0.value.isTemporary }
    }

    /// Changes a post in a live context, and doesn't save it.
    private mutating func edit() async throws {
        guard let live = lives.indices.randomElement(using: &random), let post = alive("Post"), let id = ids[post]
        else { return }
        let views = Int64.random(in: 1...1_000_000, using: &random)
        log.append("edit \(post) in \(live): \(views)")
        try await lives[live].perform { try $0.existingObject(with: id).setValue(.integer(views), forKey: "views") }
        pending[live][post] = views
    }

    // MARK: Batches

    private mutating func insertBatch() async throws {
        let entity = Self.entities.randomElement(using: &random) ?? ""
        var rows: [[String: Value]] = []
        var numbers: [Int] = []
        let present = plain
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let number = new(entity)
            let (key, value) = Self.name(number, entity)
            var row = [key: value]
            for link in PlainGraph.links {
                for isInverse in link.isSymmetric ? [false] : [false, true] where random.chance(50) {
                    relate(number, entity, link, isInverse: isInverse, present, &row)
                }
            }
            rows.append(row)
            numbers.append(number)
        }
        let chunkSize = random.chance(30) ? 2 : nil
        log.append("batch insert \(entity) \(numbers) \(rows.map { $0.keys.sorted() })")
        let given = rows
        let inserted = try await execute { executor in
            var request = BatchInsertRequest(entity, rows: given)
            request.resultType = .objectIDs
            request.chunkSize = chunkSize
            return try executor.execute(request)
        }
        try #require(inserted.count == numbers.count)
        for (number, id) in zip(numbers, inserted.objectIDs) { ids[number] = id }
    }

    /// Relates a new row to stored objects, if the link begins or ends at its entity.
    private mutating func relate(
        _ number: Int,
        _ entity: String,
        _ link: PlainGraph.Link,
        isInverse: Bool,
        _ present: PlainGraph,
        _ row: inout [String: Value]
    ) {
        let (own, other) = isInverse ? (link.to, link.from) : (link.from, link.to)
        let (isToMany, isBackToMany) =
            isInverse ? (link.isInverseToMany, link.isToMany) : (link.isToMany, link.isInverseToMany)
        guard own == entity, !isToMany || isBackToMany else { return }
        var members: [Value] = []
        for _ in 0..<(isToMany ? Int.random(in: 1...3, using: &random) : 1) {
            guard let member = alive(other, in: present), let id = ids[member] else { continue }
            members.append(id.value)
            if isInverse { plain.relate(member, number, by: link) } else { plain.relate(number, member, by: link) }
        }
        row[isInverse ? link.inverse : link.name] = isToMany ? .array(members) : members.first ?? .null
    }

    private mutating func updateBatch() async throws {
        let toOnes = PlainGraph.links.flatMap { link -> [(link: PlainGraph.Link, isInverse: Bool)] in
            (link.isToMany ? [] : [(link, false)]) + (link.isInverseToMany ? [] : [(link, true)])
        }
        guard random.chance(60), let (link, isInverse) = toOnes.randomElement(using: &random) else {
            return try await updateViews()
        }
        let (own, other) = isInverse ? (link.to, link.from) : (link.from, link.to)
        let isOneToOne = !link.isToMany && !link.isInverseToMany
        let chosen = some(own, isOneToOne ? 1 : 4)
        let destination = random.chance(75) ? alive(other) : nil
        log.append("batch update \(chosen).\(isInverse ? link.inverse : link.name) = \(destination ?? -1)")
        for number in chosen.sorted() {
            for pair in plain.pairs[link] ?? [] where (isInverse ? pair.other : pair.one) == number {
                plain.unrelate(pair.one, pair.other, by: link)
            }
            guard let destination else { continue }
            if isInverse {
                plain.relate(destination, number, by: link)
            } else {
                plain.relate(number, destination, by: link)
            }
        }
        let value = destination.flatMap { ids[$0]?.value } ?? .null
        try await update(own, chosen, [isInverse ? link.inverse : link.name: .constant(value)])
    }

    private mutating func updateViews() async throws {
        let chosen = some("Post", 5)
        let isConstant = random.chance(50)
        log.append("batch update views of \(chosen)")
        for number in chosen { plain.views[number] = isConstant ? 77 : (plain.views[number] ?? 0) + 1 }
        let value = isConstant ? ObjectExpression.constant(77) : try ObjectExpression("views + 1")
        try await update("Post", chosen, ["views": value])
    }

    private mutating func update(
        _ entity: String,
        _ numbers: Set<Int>,
        _ values: [String: ObjectExpression]
    ) async throws {
        let predicate = predicate(entity, numbers)
        let result = try await execute { executor in
            var request = BatchUpdateRequest(entity, predicate: predicate)
            request.propertiesToUpdate = values
            return try executor.execute(request)
        }
        try #require(result.count == numbers.count)
    }

    private mutating func deleteBatch() async throws {
        let entity = Self.entities.randomElement(using: &random) ?? ""
        let chosen = some(entity, 3)
        log.append("batch delete \(chosen)")
        let before = plain.entities.count
        let known = ids
        plain.delete(chosen)
        let doomed = Set(ids.filter { plain.entities[$0.key] == nil }.values)
        let previewed = try world.run { context in
            let objects = try chosen.map { try context.existingObject(with: #require(known[$0])) }
            return Set(try context.deletionClosure(of: objects).deleted)
        }
        try #require(previewed == doomed, "\(log.suffix(20))")
        let predicate = predicate(entity, chosen)
        let objectIDs = random.chance(50) ? chosen.compactMap { ids[$0] } : nil
        let result = try await execute { executor in
            let request =
                objectIDs.map(BatchDeleteRequest.init(objectIDs:))
                ?? BatchDeleteRequest(FetchRequest<ManagedObject>(entity, predicate: predicate))
            return try executor.execute(request)
        }
        try #require(result.count == before - plain.entities.count, "\(log.suffix(20))")
    }

    /// Executes a batch by the coordinator, in a context, or as changes that are saved.
    private mutating func execute(
        _ body: @escaping @Sendable (Executor) throws -> Executor.Result
    ) async throws -> Executor.Result {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return try await lives[0].perform { try body(.context($0)) }
        case 1: return try world.coordinator.withContext { try body(.context($0)) }
        case 2: return try world.coordinator.withContext { try body(.draft($0)) }
        default: return try body(.coordinator(world.coordinator))
        }
    }

    private func perform<Result: Sendable>(
        in live: Int?,
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        guard let live else { return try world.run(body) }
        return try await lives[live].perform(body)
    }

    // MARK: Comparing

    /// Compares the content of each live context. The first is compared completely, the others in part, so that they
    /// keep faults.
    mutating func compare(lazily: Bool) async throws {
        let orders = try world.run { [ids, plain] context in
            try ids.filter { plain.entities[$0.key] == "Post" }.mapValues { id in
                try context.existingObject(with: id).related("pages").map(\.objectID)
            }
        }
        for live in lives.indices {
            let (plain, log, ids) = (plain, log.suffix(20).joined(separator: "; "), ids)
            let edited = pending[live]
            let numbers = ids.keys.sorted().filter {
                live == 0 || !lazily || plain.entities[$0] == nil || random.chance(15)
            }
            try await lives[live].perform { context in
                for number in edited.keys where plain.entities[number] == nil {
                    // A deleted object is kept as long as it has changes.
                    try context.refresh(context.object(with: try #require(ids[number])), mergingChanges: false)
                }
                for number in numbers {
                    let id = try #require(ids[number])
                    guard plain.entities[number] != nil else {
                        try #require(throws: GraphError.self, "\(number) in \(live): \(log)") {
                            try context.existingObject(with: id)
                        }
                        continue
                    }
                    let object = try context.existingObject(with: id)
                    try #require(!object.isDeleted, "\(number) in \(live): \(log)")
                    try BatchRun.compare(object, number, plain, views: edited[number], log)
                    if let order = orders[number] {
                        try #require(
                            try object.related("pages").map(\.objectID) == order,
                            "\(number) in \(live): \(log)"
                        )
                    }
                }
                try #require(context.hasChanges == !edited.keys.allSatisfy { plain.entities[$0] == nil }, "\(log)")
            }
            pending[live] = edited.filter { plain.entities[$0.key] != nil }
        }
        ids = ids.filter { plain.entities[$0.key] != nil }
    }

    private static func compare(
        _ object: ManagedObject,
        _ number: Int,
        _ plain: PlainGraph,
        views: Int64?,
        _ log: String
    ) throws {
        let entity = object.entity.name
        let (key, value) = name(number, entity)
        try #require(try object.value(forKey: key) == value, "\(number): \(log)")
        if entity == "Post" {
            let expected = views ?? plain.views[number] ?? 0
            try #require(try object.value(forKey: "views") == .integer(expected), "views of \(number): \(log)")
        }
        // A count doesn't include an object with an edit that conflicts with another save.
        if entity == "Post", views == nil {
            let count = Int64(plain.related(number, "tags").count)
            try #require(try object.value(forKey: "tagCount") == .integer(count), "tags of \(number): \(log)")
        }
        for relationship in object.entity.relationships {
            let related = try object.related(relationship.name).map { other in
                switch try other.value(forKey: name(0, other.entity.name).0) {
                case .integer(let number): Int(number)
                case .string(let text): Int(text) ?? -1
                default: -1
                }
            }
            try #require(related.count == Set(related).count, "\(number).\(relationship.name): \(log)")
            try #require(
                Set(related) == plain.related(number, relationship.name),
                "\(number).\(relationship.name): \(log)"
            )
        }
    }

    // MARK: Numbers of objects

    private static func name(_ number: Int, _ entity: String) -> (String, Value) {
        switch entity {
        case "Page": ("number", .integer(Int64(number)))
        case "Profile": ("text", .string("\(number)"))
        case "Post": ("title", .string("\(number)"))
        default: ("name", .string("\(number)"))
        }
    }

    private func predicate(_ entity: String, _ numbers: Set<Int>) -> ObjectPredicate {
        let names = numbers.sorted().map { Self.name($0, entity).1 }
        return .comparing(.keyPath(Self.name(0, entity).0), .in, .constant(.array(names)))
    }

    private mutating func new(_ entity: String) -> Int {
        made += 1
        plain.entities[made] = entity
        return made
    }

    private mutating func alive(_ entity: String, in graph: PlainGraph? = nil) -> Int? {
        (graph ?? plain).entities.filter { $0.value == entity }.keys.sorted().randomElement(using: &random)
    }

    private mutating func some(_ entity: String, _ count: Int) -> Set<Int> {
        Set((0..<Int.random(in: 1...count, using: &random)).compactMap { _ in alive(entity) })
    }
}
