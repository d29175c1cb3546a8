// SPDX-License-Identifier: Apache-2.0

// Fetches with random pending changes, compared with plain filtering of all objects.

import FoundationEssentials
import ObjectGraph
import Predicates
import TestSupport
import Testing

@Suite("Fetches with pending changes compared with plain filtering")
struct RandomFetchTests {
    @Test("a fetch and plain filtering give the same objects in the same order", arguments: SeededGenerator.seeds(30))
    func sameAnswer(seed: UInt64) throws {
        let library = try Bookshop(spansStores: seed.isMultiple(of: 2))
        try library.run { context in
            var run = RandomBookshopFetches(context, seed: seed)
            for _ in 0..<40 {
                try run.change()
                try run.compare()
            }
        }
    }
}

private struct RandomBookshopFetches {
    private let context: ManagedObjectContext
    private var random: SeededGenerator
    private var made = 0
    private var books: [ManagedObject] = []
    private var writers: [ManagedObject] = []
    private var log: [String] = []

    init(_ context: ManagedObjectContext, seed: UInt64) {
        self.context = context
        random = SeededGenerator(seed: seed)
    }

    // MARK: Changes

    mutating func change() throws {
        if books.isEmpty {
            books = try context.fetch(FetchRequest<ManagedObject>("Book"))
            writers = try context.fetch(FetchRequest<ManagedObject>("Writer"))
        }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            switch Int.random(in: 0..<10, using: &random) {
            case ..<3: try insert()
            case 3: try delete()
            case 4 where random.chance(30):
                log.append("save")
                try context.save()
            case 5: try fault()
            default: try update()
            }
        }
    }

    private mutating func insert() throws {
        let book = try context.insert("Book")
        made += 1
        // Titles are unique, so that they can make every order total.
        try book.setValue(.string("T\(made)"), forKey: "title")
        books.append(book)
        log.append("insert T\(made)")
    }

    private mutating func delete() throws {
        guard let index = books.indices.randomElement(using: &random) else { return }
        log.append("delete \(try books[index].title())")
        context.delete(books.remove(at: index))
    }

    private mutating func update() throws {
        guard let book = books.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: try book.setValue(.integer(.random(in: 0...6, using: &random)), forKey: "sold")
        case 1:
            try book.setValue(random.chance(30) ? .null : .double(.random(in: 0...3, using: &random)), forKey: "price")
        default:
            let store = book.objectID.storeIdentifier
            let near = writers.filter { $0.objectID.storeIdentifier == store || store == nil && $0.isNovelist }
            try book.relate("writer", random.chance(30) ? nil : near.randomElement(using: &random))
        }
        log.append("update \(try book.title())")
    }

    /// Turns objects into faults, which must be found as well.
    private mutating func fault() throws {
        guard let book = books.randomElement(using: &random), !book.hasChanges else { return }
        try context.refresh(book, mergingChanges: false)
    }

    // MARK: Comparing

    mutating func compare() throws {
        try context.processPendingChanges()
        let condition = condition(depth: 0)
        let (format, filter) = (condition.format, condition.holds)
        var request = FetchRequest<ManagedObject>("Book", predicate: try ObjectPredicate(template: format))
        let keys =
            ["sold", "price", "writer.name"].filter { _ in random.chance(40) }.shuffled(using: &random) + ["title"]
        request.sortDescriptors = keys.map { ObjectSortDescriptor($0, ascending: random.chance(50)) }
        request.fetchOffset = random.chance(50) ? 0 : Int.random(in: 0...8, using: &random)
        request.fetchLimit = random.chance(40) ? 0 : Int.random(in: 1...8, using: &random)
        request.includesPropertyValues = random.chance(70)
        request.fetchBatchSize = Int.random(in: 0...3, using: &random)

        let known = try books.map {
            Book($0, try $0.value(forKey: "sold"), try $0.value(forKey: "price"), try $0.writerName())
        }
        let sorted = try known.filter(filter).map { ($0, try $0.object.title()) }.sorted { one, other in
            for descriptor in request.sortDescriptors {
                let order = descriptor.compare(one.0.value(descriptor, one.1), other.0.value(descriptor, other.1))
                if order != .orderedSame { return order == .orderedAscending }
            }
            return false
        }
        let rest = sorted.dropFirst(request.fetchOffset)
        let expected = (request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest).map { $0.0.object }
        let note = Comment(rawValue: "\(request) after \(log.suffix(20))")
        try #require(try context.fetch(request) == expected, note)
        try #require(try context.count(request) == expected.count, note)
        try #require(try context.objectIDs(request) == expected.map(\.objectID), note)
        try #require(Array(try context.fetchLazily(request)) == expected, note)
        request.sortDescriptors = []
        (request.fetchOffset, request.fetchLimit) = (0, 0)
        try #require(Set(try context.fetch(request)) == Set(sorted.map { $0.0.object }), note)
    }

    private struct Book {
        let object: ManagedObject
        let sold: Value
        let price: Value
        let writer: Value

        init(_ object: ManagedObject, _ sold: Value, _ price: Value, _ writer: Value) {
            (self.object, self.sold, self.price, self.writer) = (object, sold, price, writer)
        }

        func value(_ descriptor: ObjectSortDescriptor, _ title: String) -> Value {
            switch descriptor.description.drop(while: { $0 == "-" }) {
            case "sold": sold
            case "price": price
            case "title": .string(title)
            default: writer
            }
        }
    }

    /// A condition as a predicate and in Swift.
    private struct Condition {
        let format: String
        let holds: (Book) -> Bool
    }

    private mutating func condition(depth: Int) -> Condition {
        if depth < 2, random.chance(40) {
            let (one, other) = (condition(depth: depth + 1), condition(depth: depth + 1))
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                return Condition(format: "(\(one.format)) AND (\(other.format))") { one.holds($0) && other.holds($0) }
            case 1:
                return Condition(format: "(\(one.format)) OR (\(other.format))") { one.holds($0) || other.holds($0) }
            default: return Condition(format: "NOT (\(one.format))") { !one.holds($0) }
            }
        }
        let number = Int64.random(in: 0...6, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return Condition(format: "sold >= \(number)") { $0.sold.integer >= number }
        case 1: return Condition(format: "price == nil") { $0.price == .null }
        case 2: return Condition(format: "price < \(number)") { $0.price.double.map { $0 < Double(number) } ?? false }
        case 3:
            let name = ["Ada", "Bo", "Cy"].randomElement(using: &random) ?? "Ada"
            return Condition(format: "writer.name == '\(name)'") { $0.writer == .string(name) }
        default: return Condition(format: "TRUEPREDICATE") { _ in true }
        }
    }
}

extension ManagedObject {
    fileprivate var isNovelist: Bool { entity.name == "Novelist" }

    fileprivate func writerName() throws -> Value { try related("writer").first?.value(forKey: "name") ?? .null }
}

extension Value {
    fileprivate var integer: Int64 { if case .integer(let integer) = self { integer } else { -1 } }

    fileprivate var double: Double? { if case .double(let double) = self { double } else { nil } }
}
