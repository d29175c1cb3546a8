// SPDX-License-Identifier: Apache-2.0

// Reads a predicate's text into a predicate that is valid for the model: with the model's names and typed arguments. It
// is read and checked in the names of the clients' version of the model, and then translated into those of the served one.
// It doesn't access stores.

import ObjectGraph
import ObjectModel
import Predicates

struct PredicateReader {
    let api: API
    let resource: Resource
    let text: String
    /// The expressions of names that aren't key paths, in the version of the model whose names the text has.
    var columns: [String: ObjectExpression] = [:]

    /// The predicate with its placeholders and variables replaced by arguments.
    func predicate(_ arguments: inout PredicateArguments) throws(Problem) -> ObjectPredicate {
        let template = try parsed()
        let given = try nextArguments(of: &arguments)
        let named = try named(template, given)
        var values: [String: PredicateArgument] = [:]
        for name in named.freeVariables { values[name] = arguments.use(variable: name) }
        let filling = ArgumentSubstitution(
            reader: ArgumentReader(names: api.names, catalogue: api.catalogue),
            types: OperandTypeResolver(model: api.catalogue.described.model, entity: resource.described),
            arguments: given,
            variables: values
        )
        let predicate: ObjectPredicate
        do throws(ArgumentSubstitutionError) {
            predicate = try filling.filled(named)
        } catch {
            throw problem(error.message, hint: error.hint, at: offset(of: error.place, arguments: given))
        }
        try check(predicate, arguments: given)
        return api.catalogue.served(predicate, of: resource)
    }

    private func parsed() throws(Problem) -> ObjectPredicate {
        do throws(FormatError) {
            return try ObjectPredicate(template: text, limits: api.options.predicateLimits)
        } catch {
            throw problem(error.message, hint: error.hint, at: error.offset ?? 0)
        }
    }

    /// Takes as many arguments as this predicate has placeholders.
    private func nextArguments(of arguments: inout PredicateArguments) throws(Problem) -> [PredicateArgument] {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return [] }
        let places = FormatName.list(in: text).compactMap { name in
            switch name.kind {
            case .argument(let argument): (index: argument.index, offset: name.offset)
            case .keyArgument(let index): (index: index, offset: name.offset)
            default: nil
            }
        }
        let given = arguments.next(places.map { $0.index + 1 }.max() ?? 0)
        for place in places where place.index >= given.count {
            throw problem(
                "Placeholder \(place.index + 1) has no argument: \(given.count) of \(Set(places.map(\.index)).count) were passed.",
                at: place.offset
            )
        }
        let used = Set(places.map(\.index))
        if let unused = given.indices.first(where: { !used.contains($0) }) {
            throw problem("Argument \(unused + 1) has no placeholder.", at: 0)
        }
        return given
    }

    /// Throws the first finding of the model's check that changes the predicate's meaning.
    private func check(_ predicate: ObjectPredicate, arguments given: [PredicateArgument]) throws(Problem) {
        // A distinct count has no form that the model's check knows.
        let plain = predicate.replacingAggregates { .function($0.function, [$0.operand]) }
        let issues = api.catalogue.described.model.model.check(
            plain,
            on: resource.described.entity,
            variables: [:]
        )
        let issue = issues.first {
            $0.severity == .error || $0.code == .predicateType || $0.code == .predicateTransient
        }
        guard let issue else { return }
        let names = FormatNames(text, arguments: given)
        throw problem(Self.shown(issue.message), hint: hint(for: issue), at: names.offset(of: issue))
    }

    private func offset(of place: ArgumentSubstitutionError.Place, arguments given: [PredicateArgument]) -> Int {
        switch place {
        case .argument(let index): FormatNames(text, arguments: given).offset(ofArgument: index)
        case .variable(let name): FormatNames(text, arguments: given).offset(ofVariable: name)
        }
    }

    func problem(_ message: String, hint: String? = nil, at offset: Int) -> Problem {
        var problem = Problem(.predicate, message, hint: hint)
        problem.position = String(decoding: text.utf8.prefix(offset), as: UTF8.self).unicodeScalars.count
        return problem
    }
}

// MARK: Names

extension PredicateReader {
    /// The predicate with the model's names, including those given by arguments.
    private func named(_ predicate: ObjectPredicate, _ given: [PredicateArgument]) throws(Problem) -> ObjectPredicate {
        try predicate.mappingParts(
            { (part) throws(Problem) in try named(part, given) },
            { (part) throws(Problem) in try named(part, given) }
        )
    }

    private func named(
        _ expression: ObjectExpression,
        _ given: [PredicateArgument],
        isAggregated: Bool = false
    ) throws(Problem) -> ObjectExpression {
        let isAggregated = isAggregated || GroupAggregate(expression) != nil
        guard case .keyPath(let root, let keys) = expression else {
            return try expression.mappingParts(
                { (part) throws(Problem) in try named(part, given, isAggregated: isAggregated) },
                { (part) throws(Problem) in try named(part, given) }
            )
        }
        if !isAggregated, root == .evaluatedObject, let column = columns[keys.map(\.text).joined(separator: ".")] {
            return column
        }
        var steps: [Key] = []
        for key in keys {
            switch key {
            case .name(let name): steps.append(try self.key(name))
            case .collection: steps.append(key)
            case .argument(let index): steps += try self.keys(of: given, at: index)
            }
        }
        return .keyPath(of: try named(root, given, isAggregated: isAggregated), steps)
    }

    private func keys(of given: [PredicateArgument], at index: Int) throws(Problem) -> [Key] {
        guard let path = given[index].string, !path.isEmpty, !Key.path(path).contains(.name("")) else {
            throw problem(
                "%K takes a key path, but argument \(index + 1) is \(given[index].words).",
                at: FormatNames(text, arguments: given).offset(ofArgument: index)
            )
        }
        return try Key.path(path).map { (key) throws(Problem) in
            if case .name(let name) = key { try self.key(name) } else { key }
        }
    }

    /// The key with the name of the clients' model version: the checked predicate is translated as a whole later.
    private func key(_ name: String) throws(Problem) -> Key {
        if let key = Key(inAPI: name) { return key }
        throw problem(
            "\(resource.name) has no property “\(name)”.",
            hint: api.catalogue.hint(for: name, of: resource, also: ["_id", "_entity"] + columns.keys.sorted()),
            at: FormatNames(text, arguments: []).offset(ofStep: name)
        )
    }

    /// A message about the model with the API's names.
    static func shown(_ message: String) -> String {
        guard ["_", "objectID", "entity"].contains(where: message.contains) else { return message }
        var shown = ""
        var word = ""
        var isQuoted = false
        for character in message + "\n" {
            if character == "_" || character.isLetter || character.isNumber {
                word.append(character)
            } else {
                shown += self.shown(word, isQuoted: isQuoted) + String(character)
                word = ""
                if character == "“" || character == "”" { isQuoted = character == "“" }
            }
        }
        return String(shown.dropLast())
    }

    private static func shown(_ word: String, isQuoted: Bool) -> String {
        switch word {
        case "objectID": "_id"
        // Elsewhere it is an ordinary word.
        case "entity" where isQuoted: "_entity"
        default: ResourceProperty.name(of: word)
        }
    }
}

extension Key {
    /// The step for a name of the API, or nil for a reserved key that isn't a property.
    init?(inAPI name: String) {
        switch name {
        case "_id": self = .name("objectID")
        case "_entity": self = .name("entity")
        default:
            guard let name = ResourceProperty.modelName(of: name) else { return nil }
            self = .name(name)
        }
    }

    var text: String {
        switch self {
        case .name(let name): name
        case .collection(let aggregate): aggregate.rawValue
        case .argument: "%K"
        }
    }
}
