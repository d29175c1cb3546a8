// SPDX-License-Identifier: Apache-2.0

// Random requests that read the blog. `{Post a1}` stands for an object's reference.

import HTTPMessage
import TestSupport

struct RandomRead {
    private(set) var path: String
    private(set) var items: [(name: String, value: String)] = []
    private(set) var isStream = false

    init(_ random: inout RandomConditions) {
        random.arguments = []
        var entity = random.pick(BlogEntity.all)
        path = entity.path
        switch random.number(0...9) {
        case 0:
            path = "{\(random.name(of: entity))}"
            readObject(entity, &random)
            return
        case 1...2:
            let owner = random.pick(BlogEntity.all.filter { !$0.toManys.isEmpty })
            let (name, destination) = random.pick(owner.toManys.sorted { $0.key < $1.key })
            path = "{\(random.name(of: owner))}/\(name)"
            entity = .named(destination)
        case 3 where random.generator.chance(50):
            let owner = random.pick(BlogEntity.all.filter { !$0.toOnes.isEmpty })
            let (name, destination) = random.pick(owner.toOnes.sorted { $0.key < $1.key })
            path = "{\(random.name(of: owner))}/\(name)"
            readObject(.named(destination), &random)
            return
        case 4 where random.generator.chance(30):
            path = "{\(random.name(of: .named("Post")))}/others"
            entity = .named("Post")
        case 5 where random.generator.chance(30):
            path = random.generator.chance(50) ? "queries/byAuthor" : "queries/popular"
            add(path.hasSuffix("r") ? "NAME" : "VIEWS", path.hasSuffix("r") ? "a1" : "\(random.number(0...4))")
            entity = .named("Post")
        default: break
        }
        isStream = random.generator.chance(15)
        if random.generator.chance(25) { readTable(entity, &random) } else { readList(entity, &random) }
        for argument in random.arguments { items.append(("arg", "{\(argument)}")) }
    }

    private mutating func add(_ name: String, _ value: String) { items.append((name, value)) }

    private mutating func readObject(_ entity: BlogEntity, _ random: inout RandomConditions) {
        if random.generator.chance(60) { add("include", include(entity, &random, depth: 1)) }
        for argument in random.arguments { items.append(("arg", "{\(argument)}")) }
    }

    // MARK: Lists

    private mutating func readList(_ entity: BlogEntity, _ random: inout RandomConditions) {
        if random.generator.chance(75) { add("where", random.condition(on: entity)) }
        if random.generator.chance(10), let name = entity.toOnes.keys.min() {
            add("\(name).\(entity.name == "Page" ? "title" : "name")", random.pick(["a1", "b2"]))
        }
        if random.generator.chance(10), let name = entity.toManys.keys.min() {
            add(name, "{\(random.name(of: .named(entity.toManys[name] ?? "Post")))}")
        }
        if random.generator.chance(50) { add("sort", order(entity, &random)) }
        switch random.number(0...7) {
        case 0 where !isStream: return add("result", "count")
        case 1: add("result", "ids")
        default:
            if random.generator.chance(25) { add("select", selection(entity, &random)) }
            if random.generator.chance(45) { add("include", include(entity, &random, depth: 1)) }
        }
        if random.generator.chance(60) { add("limit", "\(random.number(1...4))") }
        if random.generator.chance(20) { add("offset", "\(random.number(0...3))") }
        if !isStream, random.generator.chance(40) { add("count", "true") }
    }

    private func order(_ entity: BlogEntity, _ random: inout RandomConditions) -> String {
        let keys = (0...random.number(0...1)).map { _ in
            let sign = random.generator.chance(40) ? "-" : ""
            if random.generator.chance(25), let (steps, _) = random.toManyPath(from: entity) {
                return sign + steps.joined(separator: ".") + ".@count"
            }
            let (steps, end) = random.toOnePath(from: entity)
            return sign + (steps + [random.attribute(of: end).name]).joined(separator: ".")
        }
        return keys.joined(separator: ",")
    }

    private func selection(_ entity: BlogEntity, _ random: inout RandomConditions) -> String {
        (0...random.number(0...2)).map { _ in
            if random.generator.chance(30), let (steps, end) = random.toManyPath(from: entity) {
                return (steps.prefix(3) + (random.generator.chance(70) ? [end.texts[0]] : [])).joined(separator: ".")
            }
            let (steps, end) = random.toOnePath(from: entity)
            return (steps + [random.attribute(of: end).name]).joined(separator: ".")
        }.joined(separator: ",")
    }

    private func include(_ entity: BlogEntity, _ random: inout RandomConditions, depth: Int) -> String {
        let all = entity.toOnes.merging(entity.toManys) { one, _ in one }.sorted { $0.key < $1.key }
        guard !all.isEmpty else { return "none" }
        return (0...random.number(0...1)).map { _ in
            let (name, destination) = random.pick(all)
            let end = BlogEntity.named(destination)
            if depth < 3, random.generator.chance(40), !(end.toOnes.isEmpty && end.toManys.isEmpty) {
                return "\(name).\(include(end, &random, depth: depth + 1).split(separator: ",")[0])"
            }
            guard entity.toManys[name] != nil, random.generator.chance(60) else { return name }
            var options: [String] = []
            if random.generator.chance(60) { options.append("where=\(random.condition(on: end))") }
            if random.generator.chance(40) { options.append("sort=\(order(end, &random).split(separator: ",")[0])") }
            if random.generator.chance(40) { options.append("limit=\(random.number(1...2))") }
            return options.isEmpty ? name : "\(name)(\(options.joined(separator: ",")))"
        }.joined(separator: ",")
    }

    // MARK: Tables

    private mutating func readTable(_ entity: BlogEntity, _ random: inout RandomConditions) {
        add("result", "dictionary")
        if random.generator.chance(50) { add("where", random.condition(on: entity)) }
        func path() -> String {
            let (steps, end) = random.toOnePath(from: entity)
            if !steps.isEmpty, random.generator.chance(20) { return steps.joined(separator: ".") }
            return (steps + [random.attribute(of: end).name]).joined(separator: ".")
        }
        func number() -> String {
            let (steps, end) = random.toOnePath(from: entity)
            return (steps + [end.numbers.first ?? "_id"]).joined(separator: ".")
        }
        if random.generator.chance(45) {
            let columns = Set((0...random.number(0...2)).map { _ in path() }).sorted()
            add("select", columns.joined(separator: ","))
            if random.generator.chance(40) { add("distinct", "true") }
            if random.generator.chance(60) { add("sort", random.pick(columns)) }
        } else {
            var groups: [String] = []
            if random.generator.chance(75) {
                groups = Set((0...random.number(0...1)).map { _ in path() }).sorted()
                add("group", groups.joined(separator: ","))
            }
            let function = random.pick(["sum", "average", "min", "max"])
            add(
                "aggregate",
                random.pick([
                    "n:count(_id)", "n:count(\(path()))", "n:countDistinct(\(path()))", "n:\(function)(\(number()))",
                ])
            )
            if !groups.isEmpty, random.generator.chance(40) {
                let group = random.pick(groups)
                add("having", random.pick(["n > 1", "\(group) != nil", "\(group) == nil OR n == 1", "n == 1"]))
            }
            if !groups.isEmpty, random.generator.chance(60) { add("sort", random.pick(groups + ["-n", "n"])) }
        }
        if random.generator.chance(40) { add("limit", "\(random.number(1...3))") }
        if !isStream, random.generator.chance(30) { add("count", "true") }
    }

    // MARK: Targets

    /// The target with an API's references in the place of names. An object that it doesn't have gets one that nothing has.
    func target(_ references: [String: String]) -> String {
        let query = items.map { "\($0.name)=\($0.value.replacing("%", with: "%25"))" }.joined(separator: "&")
        var text = "/api/\(path)" + (query.isEmpty ? "" : "?\(query)")
        for match in text.matches(of: /\{(\w+) (\w+)\}/).reversed() {
            let entity = BlogEntity.named(String(match.1))
            let reference = references["\(match.1) \(match.2)"] ?? "\(entity.path)/999999"
            text.replaceSubrange(match.range, with: reference)
        }
        return text
    }
}
