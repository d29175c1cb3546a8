// SPDX-License-Identifier: Apache-2.0

// Resolves key paths of parameters in the model, step by step.

import ObjectGraph
import ObjectModel
import Predicates
import SourceText

/// A key path as written by a client, resolved.
struct ResolvedKeyPath: Equatable, Sendable {
    let text: String
    let keys: [Key]
    let end: OperandType

    var expression: ObjectExpression { keys.isEmpty ? .evaluatedObject : .keyPath(of: .evaluatedObject, keys) }

    /// The dotted path with names of the model.
    var modelPath: String { keys.map(\.text).joined(separator: ".") }

    var attribute: AttributeDescription? {
        if case .attribute(let attribute) = end.kind, !end.isMany { attribute } else { nil }
    }

    /// Whether it points at the names of entities.
    var namesEntity: Bool { text == "_entity" || text.hasSuffix("._entity") }
}

struct KeyPathReader {
    let catalogue: Catalogue
    let resource: Resource
    /// The parameter that contains the path.
    let parameter: String

    /// - Parameter position: The position of the path in the parameter, in Unicode scalars.
    func path(_ text: some StringProtocol, at position: Int = 0) throws(Problem) -> ResolvedKeyPath {
        let steps = String(text).split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !steps.contains("") else {
            throw problem("“\(text)” isn't a valid key path.", hint: "Join names with single dots.", at: position)
        }
        let follower = OperandTypeResolver(model: catalogue.model, entity: resource.entity)
        var end = OperandType(kind: .object(resource.entity))
        var keys: [Key] = []
        var place = position
        for (index, step) in steps.enumerated() {
            if let aggregate = CollectionOperator(rawValue: step) {
                guard end.isMany || end.isJSON || end.kind == .unknown else {
                    throw problem("“\(text)” applies \(step) to something other than a collection.", at: place)
                }
                let rest = try self.rest(steps[(index + 1)...], after: end, at: place)
                keys += [.collection(aggregate)] + rest
                end = follower.follow([.collection(aggregate)] + rest, from: end)
                break
            }
            let key = try key(step, after: end, following: steps[..<index].joined(separator: "."), at: place)
            keys.append(key)
            end = follower.step(key.text, from: end)
            place += step.unicodeScalars.count + 1
        }
        // An object is represented by its ID.
        if keys.count > 1, keys.last == .name("objectID") { keys.removeLast() }
        return ResolvedKeyPath(text: String(text), keys: keys == [.name("objectID")] ? [] : keys, end: end)
    }

    /// The steps after an operator, which apply to each member.
    private func rest(_ steps: ArraySlice<String>, after end: OperandType, at position: Int) throws(Problem) -> [Key] {
        if end.isJSON { return steps.map(Key.name) }
        guard !steps.isEmpty, case .object(let entity) = end.kind else {
            guard let step = steps.first else { return [] }
            throw problem("“\(step)” can't follow this collection operator.", at: position)
        }
        let inner = KeyPathReader(catalogue: catalogue, resource: catalogue[entity], parameter: parameter)
        return try inner.path(steps.joined(separator: "."), at: position).keys
    }

    /// The key with the name of the served model: each step is resolved before the next one is read.
    private func key(
        _ name: String,
        after end: OperandType,
        following before: String,
        at position: Int
    ) throws(Problem) -> Key {
        switch end.kind {
        case .object(let entity):
            guard let key = catalogue[entity].key(named: name), try isKnown(key, of: entity, as: name, at: position)
            else {
                throw unknown(name, of: catalogue[entity], at: position)
            }
            return key
        case .attribute(let attribute):
            if attribute.elements.isEmpty {
                if case .transformable = attribute.type { return .name(name) }
                throw problem(
                    "“\(before)” is of type \(attribute.type.name) and has no properties.",
                    at: position
                )
            }
            guard let key = Key(inAPI: name), attribute.elements.contains(where: { $0.name == key.text }) else {
                throw problem(
                    "The composite \(attribute.type.name) has no element “\(name)”.",
                    hint: Spelling.hint(
                        for: name,
                        among: attribute.elements.map { ResourceProperty.name(of: $0.name) }
                    ),
                    at: position
                )
            }
            return key
        case .json: return .name(name)
        default: throw problem("“\(before)” has no properties.", at: position)
        }
    }

    private func isKnown(
        _ key: Key,
        of entity: EntityDescription,
        as name: String,
        at position: Int
    ) throws(Problem) -> Bool {
        switch entity.property(named: key.text) {
        case .attribute(let attribute) where attribute.isTransient:
            throw problem("“\(name)” is transient, so stores can't query it.", at: position)
        case .fetched:
            throw problem("“\(name)” is a fetched property, which stores can't query.", at: position)
        case nil: return name == "_id" || name == "_entity"
        default: return true
        }
    }

    private func unknown(_ name: String, of resource: Resource, at position: Int) -> Problem {
        problem(
            "\(resource.name) has no property “\(name)”.",
            hint: catalogue.hint(for: name, of: resource, also: ["_id", "_entity"]),
            at: position
        )
    }

    /// The parts of a list with a limited length.
    func parts(_ text: String, atMost limit: Int) throws(Problem) -> [(text: String, position: Int)] {
        let parts = text.commaSeparated
        guard parts.count <= limit else {
            throw problem("There are \(parts.count) items; at most \(limit) are allowed.", at: 0)
        }
        return parts
    }

    func problem(_ message: String, hint: String? = nil, at position: Int) -> Problem {
        var problem = Problem(.parameter, "In “\(parameter)”: \(message)", hint: hint)
        problem.position = position
        return problem
    }
}

extension String {
    /// The parts between commas outside of brackets, with their positions in Unicode scalars. Surrounding spaces are
    /// removed; an empty text has no parts.
    var commaSeparated: [(text: String, position: Int)] {
        var parts: [(text: String, position: Int)] = []
        var start = 0
        var depth = 0
        let scalars = Array(unicodeScalars)
        func add(_ end: Int) {
            var range = start..<end
            while let first = range.first, scalars[first] == " " { range = (first + 1)..<range.upperBound }
            while let last = range.last, scalars[last] == " " { range = range.lowerBound..<last }
            parts.append((scalars[range].reduce(into: "") { $0.unicodeScalars.append($1) }, range.lowerBound))
        }
        for (place, scalar) in scalars.enumerated() {
            switch scalar {
            case "(", "[": depth += 1
            case ")", "]": depth -= 1
            case "," where depth == 0:
                add(place)
                start = place + 1
            default: break
            }
        }
        if start > 0 || scalars.contains(where: { $0 != " " }) { add(scalars.count) }
        return parts
    }
}
