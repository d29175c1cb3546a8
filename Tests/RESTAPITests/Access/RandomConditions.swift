// SPDX-License-Identifier: Apache-2.0

// Random conditions over the blog's model, for rules and for requests.

import TestSupport

/// A part of the blog's model as conditions use it.
struct BlogEntity {
    let name: String
    let path: String
    let texts: [String]
    let numbers: [String]
    let toOnes: [String: String]
    let toManys: [String: String]

    static let all = [
        BlogEntity(
            name: "Post",
            path: "posts",
            texts: ["title"],
            numbers: ["views", "rating"],
            toOnes: ["author": "User"],
            toManys: ["tags": "Tag", "pages": "Page", "comments": "Comment"]
        ),
        BlogEntity(
            name: "User",
            path: "users",
            texts: ["name", "email"],
            numbers: ["age"],
            toOnes: [:],
            toManys: ["posts": "Post", "comments": "Comment", "groups": "Group"]
        ),
        BlogEntity(name: "Tag", path: "tags", texts: ["name"], numbers: [], toOnes: [:], toManys: ["posts": "Post"]),
        BlogEntity(name: "Page", path: "pages", texts: ["text"], numbers: [], toOnes: ["post": "Post"], toManys: [:]),
        BlogEntity(
            name: "Comment",
            path: "comments",
            texts: ["text"],
            numbers: [],
            toOnes: ["post": "Post", "author": "User"],
            toManys: [:]
        ),
        BlogEntity(
            name: "Group",
            path: "Group",
            texts: ["name"],
            numbers: [],
            toOnes: [:],
            toManys: ["members": "User"]
        ),
        BlogEntity(name: "Contact", path: "Contact", texts: ["name"], numbers: [], toOnes: [:], toManys: [:]),
    ]

    static func named(_ name: String) -> BlogEntity { all.first { $0.name == name } ?? all[0] }
}

/// Makes conditions with paths of any length.
struct RandomConditions {
    var generator: SeededGenerator
    /// Whether conditions may have the identity's variables, rather than arguments of a request.
    var isOfRules = false
    /// The names of objects in `%@`, in the order of the placeholders.
    var arguments: [String] = []
    private var depth = 0

    init(_ generator: SeededGenerator, isOfRules: Bool = false) {
        self.generator = generator
        self.isOfRules = isOfRules
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    static func constant(_ word: Int) -> String { "'\(word)'" }

    // MARK: Paths

    /// A path over to-one relationships, and the entity that it leads to.
    mutating func toOnePath(from entity: BlogEntity, longest: Int = 3) -> (steps: [String], end: BlogEntity) {
        var end = entity
        var steps: [String] = []
        while steps.count < longest, generator.chance(55), !end.toOnes.isEmpty {
            let (name, destination) = pick(end.toOnes.sorted { $0.key < $1.key })
            steps.append(name)
            end = .named(destination)
        }
        return (steps, end)
    }

    /// A path with one or more to-many relationships.
    mutating func toManyPath(from entity: BlogEntity) -> (steps: [String], end: BlogEntity)? {
        var (steps, end) = toOnePath(from: entity, longest: 2)
        guard !end.toManys.isEmpty else { return nil }
        repeat {
            let all = end.toManys.merging(steps.isEmpty ? [:] : end.toOnes) { one, _ in one }
            let (name, destination) = pick(all.sorted { $0.key < $1.key })
            if steps.isEmpty || end.toManys[name] != nil || generator.chance(50) {
                steps.append(name)
                end = .named(destination)
            }
        } while steps.count < 4 && generator.chance(35) && !(end.toManys.isEmpty && end.toOnes.isEmpty)
        return Self.isMany(steps, from: entity) ? (steps, end) : nil
    }

    private static func isMany(_ steps: [String], from entity: BlogEntity) -> Bool {
        var end = entity
        for step in steps {
            if end.toManys[step] != nil { return true }
            end = .named(end.toOnes[step] ?? "Post")
        }
        return false
    }

    mutating func attribute(of entity: BlogEntity) -> (name: String, isNumber: Bool) {
        let all = entity.texts.map { ($0, false) } + entity.numbers.map { ($0, true) }
        return pick(all)
    }

    // MARK: Conditions

    /// A condition on objects of an entity.
    ///
    /// - Parameter root: The beginning of key paths: nothing, or a variable with a dot.
    mutating func condition(on entity: BlogEntity, root: String = "") -> String {
        depth += 1
        defer { depth -= 1 }
        if depth < 4, generator.chance(35) {
            switch number(0...2) {
            case 0: return "(\(condition(on: entity, root: root)) AND \(condition(on: entity, root: root)))"
            case 1: return "(\(condition(on: entity, root: root)) OR \(condition(on: entity, root: root)))"
            default: return "NOT (\(condition(on: entity, root: root)))"
            }
        }
        for _ in 0..<4 {
            if let condition = leaf(on: entity, root: root) { return condition }
        }
        return ofValue(on: entity, root: root)
    }

    private mutating func leaf(on entity: BlogEntity, root: String) -> String? {
        switch number(0...11) {
        case 0...3: return ofValue(on: entity, root: root)
        case 4: return ofObject(on: entity, root: root)
        case 5, 6: return ofMembers(on: entity, root: root)
        case 7: return count(on: entity, root: root)
        case 8: return collected(on: entity, root: root)
        case 9 where depth < 4: return subquery(on: entity, root: root)
        case 10: return member(on: entity, root: root)
        case 11: return ofTwoPaths(on: entity, root: root)
        default: return nil
        }
    }

    private mutating func comparison(_ left: String, isNumber: Bool) -> String {
        if generator.chance(15) { return "\(left) \(pick(["==", "!="])) nil" }
        if isNumber {
            switch number(0...4) {
            case 0: return "\(left) BETWEEN {\(number(0...3)), \(number(3...6))}"
            case 1: return "\(left) IN {\(number(0...6)), \(number(0...6))}"
            case 2: return "\(number(0...6)) \(pick(["<", ">=", "==", "!="])) \(left)"
            default: return "\(left) \(pick(["==", "!=", "<", "<=", ">", ">="])) \(number(0...6))"
            }
        }
        let word = pick(["a", "b", "c", "d"])
        switch number(0...4) {
        case 0: return "\(left) IN {'\(word)1', '\(word)2', 'c3'}"
        case 1: return "'\(word)2' \(pick(["<", "==", "!="])) \(left)"
        case 2: return "\(left) \(pick(["BEGINSWITH[c]", "CONTAINS", "LIKE"])) '\(word)\(pick(["", "1", "*"]))'"
        default: return "\(left) \(pick(["==", "!=", "<", ">="])) '\(word)\(number(1...3))'"
        }
    }

    private mutating func ofValue(on entity: BlogEntity, root: String) -> String {
        let (steps, end) = toOnePath(from: entity)
        if end.name == "Post", generator.chance(25) {
            return root + (steps + ["published"]).joined(separator: ".") + pick([" == YES", " == NO", " != YES"])
        }
        let (name, isNumber) = attribute(of: end)
        return comparison(root + (steps + [name]).joined(separator: "."), isNumber: isNumber)
    }

    private mutating func ofTwoPaths(on entity: BlogEntity, root: String) -> String? {
        let one = toOnePath(from: entity)
        let other = toOnePath(from: entity)
        guard !one.end.texts.isEmpty, !other.end.texts.isEmpty else { return nil }
        let left = root + (one.steps + [one.end.texts[0]]).joined(separator: ".")
        let right = root + (other.steps + [other.end.texts[0]]).joined(separator: ".")
        if generator.chance(30) { return "TERNARY(\(left) == nil, 'b1', \(left)) \(pick(["<", "=="])) \(right)" }
        return "\(left) \(pick(["==", "!=", "<", ">="])) \(right)"
    }

    private mutating func ofObject(on entity: BlogEntity, root: String) -> String? {
        let (steps, end) = toOnePath(from: entity)
        guard !steps.isEmpty else { return nil }
        let path = root + steps.joined(separator: ".")
        if isOfRules, end.name == "User" { return "\(path) \(pick(["==", "!="])) $USER" }
        if !isOfRules, generator.chance(60) {
            let negation = generator.chance(30)
            return "\(path) \(negation ? "!=" : "==") \(argument(end))"
        }
        return "\(path) \(pick(["==", "!="])) nil"
    }

    /// A placeholder for an object.
    mutating func argument(_ entity: BlogEntity) -> String {
        arguments.append(name(of: entity))
        return "%@"
    }

    /// An object's name with its entity: `Post a1`.
    mutating func name(of entity: BlogEntity) -> String {
        let entity = entity.name == "Contact" ? BlogEntity.named(pick(["User", "Group"])) : entity
        return "\(entity.name) \(pick(["a", "b", "c", "d"]))\(number(1...3))"
    }

    private mutating func ofMembers(on entity: BlogEntity, root: String) -> String? {
        guard let (steps, end) = toManyPath(from: entity) else { return nil }
        let modifier = pick(["ANY", "ALL", "NONE", "ANY"])
        let path = root + steps.joined(separator: ".")
        if !isOfRules, generator.chance(20) { return "\(modifier) \(path) == \(argument(end))" }
        let (name, isNumber) = attribute(of: end)
        // NONE is written with an operator that keeps the value on the left.
        let left = "\(path).\(name)"
        return modifier + " "
            + (isNumber
                ? "\(left) \(pick(["==", "<", ">="])) \(number(0...6))"
                : "\(left) \(pick(["==", "!=", "BEGINSWITH"])) '\(pick(["a", "b", "c1", "d2"]))'")
    }

    private mutating func count(on entity: BlogEntity, root: String) -> String? {
        guard let (steps, _) = toManyPath(from: entity) else { return nil }
        return "\(root)\(steps.joined(separator: ".")).@count \(pick(["==", ">", "<", ">="])) \(number(0...3))"
    }

    private mutating func collected(on entity: BlogEntity, root: String) -> String? {
        guard let (steps, end) = toManyPath(from: entity) else { return nil }
        let path = root + steps.joined(separator: ".")
        if let name = end.numbers.first {
            let function = pick(["@max", "@min", "@sum", "@avg"])
            return "\(path).\(function).\(name) \(pick(["<", ">=", "=="])) \(number(0...6))"
        }
        return "\(path).@max.\(end.texts[0]) \(pick(["<", ">=", "=="])) 'b2'"
    }

    private mutating func subquery(on entity: BlogEntity, root: String) -> String? {
        guard let (steps, end) = toManyPath(from: entity) else { return nil }
        // A variable of a rule and of a request may have the same name.
        let variable = "$\(pick(["x", "y"]))\(depth)"
        let inner = condition(on: end, root: variable + ".")
        let path = root + steps.joined(separator: ".")
        return "SUBQUERY(\(path), \(variable), \(inner)).@count \(pick(["==", ">", ">="])) \(number(0...2))"
    }

    private mutating func member(on entity: BlogEntity, root: String) -> String? {
        guard !isOfRules, let (name, destination) = entity.toManys.sorted(by: { $0.key < $1.key }).first else {
            guard entity.name == "Post" else { return nil }
            return "\(root)pages[FIRST].text \(pick(["==", "<"])) 'b2'"
        }
        let end = BlogEntity.named(destination)
        return generator.chance(50)
            ? "\(argument(end)) IN \(root)\(name)" : "\(root)\(name) CONTAINS \(argument(end))"
    }
}
