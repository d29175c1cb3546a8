// SPDX-License-Identifier: Apache-2.0

// The same random batches on a set-based store and on one that works row by row: both must have the same graph after
// each batch, and a live context must show it.

import ObjectGraph
import Predicates
import SQLiteStore
import TestSupport
import Testing

@Suite("Set-based and row-by-row batches")
struct SQLiteRandomBatchTests {
    @Test(
        "set-based and row-by-row batches give the same graph after many random steps",
        arguments: SeededGenerator.seeds(12)
    )
    func sameGraph(seed: UInt64) async throws {
        var run = try Run(seed: seed)
        for _ in 0..<60 { try await run.step() }
    }
}

/// A value in a form that both sides share: objects are numbers.
private enum Given {
    case value(Value)
    case object(Int?)
    case objects([Int])
}

private struct Outcome: Equatable {
    var count = 0
    var objects: [Int] = []
    var error: String?
    var row: Int?

    /// Whether a set-based batch had the same outcome as a row-by-row one. If several rows can't be inserted, the
    /// set-based batch reports the first, and the row-by-row batch first reports rows that are invalid by themselves.
    func isSame(as rows: Outcome) -> Bool {
        if count == rows.count, Set(objects) == Set(rows.objects), error == rows.error { return true }
        guard error != nil, rows.error != nil, let row, let other = rows.row else { return false }
        return row < other
    }
}

/// One store, and the numbers of its objects.
private struct Side {
    let club: Club
    var numbers: [ManagedObjectID: Int] = [:]
    var ids: [Int: ManagedObjectID] = [:]

    func value(_ given: Given) -> Value {
        switch given {
        case .value(let value): value
        case .object(let number): number.flatMap { ids[$0]?.value } ?? .null
        case .objects(let numbers): .array(numbers.compactMap { ids[$0]?.value })
        }
    }

    /// Runs a batch and numbers new objects after the known ones.
    mutating func outcome(_ body: (Club) throws -> BatchResult) throws -> Outcome {
        do {
            let result = try body(club)
            for id in result.objectIDs where numbers[id] == nil {
                let number = (ids.keys.max() ?? 0) + 1
                (numbers[id], ids[number]) = (number, id)
            }
            return Outcome(count: result.count, objects: result.objectIDs.compactMap { numbers[$0] })
        } catch let error as GraphError {
            let failures = error.failures.map { "\($0.code) \($0.property ?? "")" }
            let text = "\(error.code.rawValue) \(error.row ?? 0) \(error.property ?? "") \(failures)"
            return Outcome(error: text, row: error.row)
        }
    }

    /// The complete content that a context sees, line by line.
    func lines(_ context: ManagedObjectContext) throws -> [String] {
        var lines: [(Int, String)] = []
        for entity in context.model.entities where entity.index == entity.rootIndex {
            for object in try context.fetch(FetchRequest<ManagedObject>(entity.name)) {
                let values = try object.entity.attributes.map { "\($0.name)=\(try object.value(forKey: $0.name))" }
                let related = try object.entity.relationships.map { "\($0.name)=\(try self.related($0, of: object))" }
                let number = numbers[object.objectID] ?? 0
                lines.append((number, "\(number) \(object.entity.name) \(values) \(related)"))
            }
        }
        return lines.sorted { $0.0 < $1.0 }.map(\.1)
    }

    private func related(_ relationship: RelationshipDescription, of object: ManagedObject) throws -> [Int] {
        guard relationship.isToMany else {
            return try object.object(of: relationship).map { [numbers[$0.objectID] ?? 0] } ?? []
        }
        let members = try object.objects(of: relationship).map { numbers[$0.objectID] ?? 0 }
        return relationship.isOrdered ? members : members.sorted()
    }

    func versions() throws -> [Int: Int64] {
        let all = ids.sorted { $0.key < $1.key }
        let rows = try club.store.snapshots(of: all.map(\.value), at: nil)
        return Dictionary(
            uniqueKeysWithValues: zip(all, rows).compactMap { entry, row in row.map { (entry.key, $0.version) } }
        )
    }
}

private struct Run {
    private var random: SeededGenerator
    private var sets: Side
    private var rows: Side
    private let live: LiveContext
    private var kinds: [Int: String] = [:]
    private var log: [String] = []
    private var made: Int64 = 0
    private var versions: ([Int: Int64], [Int: Int64]) = ([:], [:])

    private static let entities = [
        "Person", "Writer", "Book", "Badge", "Draft", "Tag", "Page", "Loan", "Review", "Note",
    ]

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        sets = Side(club: try Club())
        rows = Side(club: try Club(isPlain: true))
        live = sets.club.coordinator.liveContext()
    }

    mutating func step() async throws {
        let entity = pick(Self.entities)
        let kind = Int.random(in: 0..<10, using: &random)
        switch kind {
        case ..<4: try insert(entity)
        case ..<8: try update(entity)
        default: try delete(entity)
        }
        try await compare(isInsertion: kind < 4)
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }

    private mutating func alive(_ names: String...) -> Int? {
        kinds.filter { names.contains($0.value) }.keys.sorted().randomElement(using: &random)
    }

    private mutating func person() -> Int? { alive("Person", "Writer") }

    private mutating func both(_ entity: String, _ text: String, _ body: (Side, Club) throws -> BatchResult) throws {
        log.append(text)
        let (before, other) = (sets, rows)
        let first = try sets.outcome { try body(before, $0) }
        let second = try rows.outcome { try body(other, $0) }
        try #require(first.isSame(as: second), "\(first) \(second) \(log.suffix(8))")
        for number in first.objects where kinds[number] == nil { kinds[number] = entity }
        for number in kinds.keys where try sets.club.store.snapshots(of: [sets.ids[number]!], at: nil)[0] == nil {
            kinds[number] = nil
        }
    }

    private mutating func compare(isInsertion: Bool) async throws {
        let log = log.suffix(8)
        let (one, other) = (sets, rows)
        let first = try one.club.coordinator.withContext { try one.lines($0) }
        let second = try other.club.coordinator.withContext { try other.lines($0) }
        for (first, second) in zip(first, second) { try #require(first == second, "\(log)") }
        try #require(first.count == second.count, "\(log)")
        let now = (try one.versions(), try other.versions())
        for (number, before) in versions.0 {
            guard let version = now.0[number], let second = now.1[number], let old = versions.1[number] else {
                continue
            }
            // Rows of an insertion that aren't written together may change the same object several times.
            let isSame = isInsertion ? (version > before) == (second > old) : version - before == second - old
            try #require(isSame, "version of \(number): \(log)")
        }
        versions = now
        let seen = try await live.perform { try one.lines($0) }
        for (seen, first) in zip(seen, first) { try #require(seen == first, "live: \(log)") }
    }

    // MARK: Batches

    private mutating func insert(_ entity: String) throws {
        var given: [[String: Given]] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) { given.append(row(entity)) }
        let policy: MergePolicy = pick([.error, .error, .mergeByPropertyObjectTrump, .overwrite, .rollback])
        try both(entity, "insert \(entity) \(given) \(policy.kind)") { side, club in
            var request = BatchInsertRequest(entity, rows: given.map { $0.mapValues(side.value) })
            request.resultType = .objectIDs
            return try club.coordinator.execute(request, mergePolicy: policy)
        }
    }

    private mutating func row(_ entity: String) -> [String: Given] {
        made += 1
        var row: [String: Given] = ["number": .value(.integer(made))]
        if random.chance(3) { row["number"] = nil }
        for key in keys(entity) where random.chance(40) { row[key] = value(key) }
        switch entity {
        case "Person", "Writer":
            if random.chance(40) { row["friends"] = .objects([person(), person()].compactMap(\.self)) }
        case "Book": if random.chance(40) { row["tags"] = .objects([alive("Tag"), alive("Tag")].compactMap(\.self)) }
        case "Tag":
            if random.chance(40) { row["books"] = .objects([alive("Book"), alive("Book")].compactMap(\.self)) }
            if random.chance(40) { row["seeAlso"] = .objects([alive("Tag"), alive("Tag")].compactMap(\.self)) }
        default: break
        }
        return row
    }

    /// The properties that may be set, except the number.
    private func keys(_ entity: String) -> [String] {
        switch entity {
        case "Person": ["name", "badge", "mentor"]
        case "Writer": ["name", "badge", "mentor", "level"]
        case "Book": ["title", "views", "length", "shelf", "author", "editor"]
        case "Badge": ["person"]
        case "Draft": ["writer"]
        case "Tag": []
        case "Note": ["book", "code"]
        default: ["book"]
        }
    }

    private mutating func value(_ key: String) -> Given {
        switch key {
        case "name": .value(.string(pick(["Ann", "Böb", "Cleo", "A name much too long"])))
        case "title": .value(.string(pick(["One", "Two"])))
        case "code": .value(pick(["AB", "C", "ab", .null]))
        case "shelf": .value(pick([.string("A"), .string("B"), .string("C"), .null]))
        case "views", "length": .value(.integer(pick([0, 1, 70_000])))
        case "level": .value(.integer(pick([0, 3, 12])))
        case "badge": .object(alive("Badge"))
        case "mentor", "author", "editor", "person": .object(random.chance(80) ? person() : nil)
        case "writer": .object(alive("Writer"))
        default: .object(alive("Book"))
        }
    }

    private mutating func update(_ entity: String) throws {
        var values: [String: Given] = [:]
        var expressions: [String: ObjectExpression] = [:]
        for key in keys(entity) where random.chance(30) { values[key] = value(key) }
        if values.isEmpty {
            let texts: [String: [String]] = [
                "Book": [
                    "title = uppercase:(title)", "title = author.name", "views = views + number", "views = views / 2",
                ]
                    + [
                        "length = length * 100000", "views = author.bookCount", "views = author.books.@count",
                        "shelf = title",
                    ],
                "Person": [
                    "number = number + 1", "number = mentor.number", "name = mentor.name", "number = students.@count",
                ],
            ]
            let parts = pick(texts[entity] ?? ["number = number + 1", "number = number - 3"]).split(separator: " = ")
            expressions[String(parts[0])] = try ObjectExpression(String(parts[1]))
        }
        let predicate = try predicate(entity)
        let (given, computed) = (values, expressions)
        try both(entity, "update \(entity) \(values) \(expressions) where \(predicate.0)") { side, club in
            try club.update(
                entity,
                computed.merging(given.mapValues { .constant(side.value($0)) }) { $1 },
                where: predicate.1(side)
            )
        }
    }

    private mutating func predicate(_ entity: String) throws -> (String, (Side) -> ObjectPredicate?) {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return ("all", { _ in nil })
        case 1, 2:
            let bound = Int64.random(in: 0...made, using: &random)
            let text = pick(["number < \(bound)", "number > \(bound)", "number == \(bound)"])
            let predicate = try ObjectPredicate(text)
            return (text, { _ in predicate })
        case 3 where ["Person", "Book"].contains(entity):
            let text = entity == "Book" ? "author.name == 'Ann'" : "mentor.number > 3 OR ANY books.views > 0"
            let predicate = try ObjectPredicate(text)
            return (text, { _ in predicate })
        default:
            let chosen = [alive(entity), alive(entity)].compactMap(\.self)
            return ("\(chosen)", { .comparing(.evaluatedObject, .in, .constant($0.value(.objects(chosen)))) })
        }
    }

    private mutating func delete(_ entity: String) throws {
        if random.chance(50) {
            let chosen = [alive(entity), alive(entity)].compactMap(\.self)
            return try both(entity, "delete \(chosen)") { side, club in
                var request = BatchDeleteRequest(objectIDs: chosen.compactMap { side.ids[$0] })
                request.resultType = .objectIDs
                return try club.coordinator.execute(request)
            }
        }
        let predicate = try predicate(entity)
        let maximum = random.chance(30) ? 3 : nil
        try both(entity, "delete \(entity) where \(predicate.0) \(maximum ?? 0)") { side, club in
            var request = BatchDeleteRequest(FetchRequest<ManagedObject>(entity, predicate: predicate.1(side)))
            request.maximum = maximum
            request.resultType = .objectIDs
            return try club.coordinator.execute(request)
        }
    }
}
