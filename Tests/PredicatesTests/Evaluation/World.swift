// SPDX-License-Identifier: Apache-2.0

// The fixture world: objects with arbitrary properties, and short functions to write predicates over them.

import Foundation
import Predicates

/// An object with the given properties.
final class Thing: KeyValueObject {
    var properties: [String: Operand]
    let reference: ObjectReference?

    init(_ reference: String? = nil, _ values: [String: Value] = [:], _ others: [String: Operand] = [:]) {
        self.reference = reference.map(ObjectReference.init(uri:))
        properties = values.mapValues(Operand.value).merging(others) { $1 }
    }

    func operand(forKey key: String) -> Operand? { properties[key] }
}

/// An object without identity. Values under `json` may be of any kind.
struct Plain: KeyValueObject {
    var properties: [String: Value] = [:]
    var reference: ObjectReference? { nil }

    func operand(forKey key: String) -> Operand? { properties[key].map(Operand.value) }
    func isUntyped(_ key: String) -> Bool { key == "json" }
}

func key(_ path: String) -> ObjectExpression { .keyPath(path) }
func variable(_ name: String, _ path: String = "") -> ObjectExpression {
    path.isEmpty ? .variable(name) : .keyPath(of: .variable(name), Key.path(path))
}
func constant(_ value: Value) -> ObjectExpression { .constant(value) }
func call(_ function: Function, _ arguments: ObjectExpression...) -> ObjectExpression { .function(function, arguments) }

func compare(
    _ left: Value,
    _ operation: Comparison.Operator,
    _ right: Value,
    _ options: Comparison.Options = []
) throws -> Bool {
    let predicate = ObjectPredicate.comparing(key("x"), operation, .constant(right), options: options)
    return try predicate.evaluate(with: Plain(properties: ["x": left]), now: epoch)
}

func evaluate(_ expression: ObjectExpression, _ object: any KeyValueObject = Plain()) throws -> Value? {
    if case .value(let value) = try expression.evaluate(with: object, now: epoch) { value } else { nil }
}

/// The values of a collection, with objects as their references.
func members(_ expression: ObjectExpression, _ object: any KeyValueObject = Plain()) throws -> [Value]? {
    guard case .collection(let members) = try expression.evaluate(with: object, now: epoch) else { return nil }
    return members.map { member in
        switch member {
        case .value(let value): value
        case .object(let object): object.reference.map(Value.reference) ?? "an object"
        case .collection: "a collection"
        }
    }
}

func holds(
    _ left: ObjectExpression,
    _ operation: Comparison.Operator,
    _ right: ObjectExpression,
    _ modifier: Comparison.Modifier = .direct,
    _ options: Comparison.Options = [],
    for object: any KeyValueObject
) throws -> Bool {
    try ObjectPredicate.comparing(left, operation, right, modifier: modifier, options: options)
        .evaluate(with: object, now: epoch)
}

let epoch = Date(timeIntervalSinceReferenceDate: 0)
let caseInsensitive: Comparison.Options = .caseInsensitive
let diacriticInsensitive: Comparison.Options = .diacriticInsensitive
let folding: Comparison.Options = [.caseInsensitive, .diacriticInsensitive]

/// The code of the evaluation error that the body throws.
func errorCode(_ body: () throws -> some Any) -> EvaluationError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? EvaluationError)?.code
    }
}

/// An author with two posts, the second without properties. They refer to each other until the blog is released.
final class Blog {
    let author = Thing("author/1", ["name": "Ann", "nothing": nil])
    let posts: [Thing]

    init() {
        let swift = Thing("tag/1", ["name": "swift"])
        let linux = Thing("tag/2", ["name": "Linux"])
        let first = Thing(
            "post/1",
            [
                "title": "Héllo", "views": 10, "created": .date(epoch),
                "size": .dictionary(["width": 3, "unit": .null]),
            ],
            ["author": .object(author), "tags": .collection([.object(swift), .object(linux)])]
        )
        let second = Thing(
            "post/2",
            ["title": nil, "views": nil, "created": nil, "size": nil],
            ["author": .null, "tags": .collection([])]
        )
        posts = [first, second]
        author.properties["posts"] = .collection(posts.map(Operand.object))
    }

    deinit {
        for thing in posts + [author] { thing.properties = [:] }
    }
}
