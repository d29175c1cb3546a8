// SPDX-License-Identifier: Apache-2.0

// Parameters that are conditions: `published=true&author=users/7`.

import ObjectGraph
import ObjectModel
import Predicates

struct EqualityReader {
    let api: API
    let resource: Resource

    /// The condition that a key path has one of some values, or contains one if it is to-many; nil if the
    /// name isn't a property.
    func predicate(_ name: String, _ values: [PredicateArgument]) throws(Problem) -> ObjectPredicate? {
        let first = String(name.prefix { $0 != "." })
        guard first == "_id" || first == "_entity" || resource.property(named: first) != nil else { return nil }
        let path = try KeyPathReader(catalogue: api.catalogue, resource: resource, parameter: name).path(name)
        return .any(of: try values.map { (value) throws(Problem) in try predicate(path, value) })
    }

    private func predicate(_ path: ResolvedKeyPath, _ argument: PredicateArgument) throws(Problem) -> ObjectPredicate {
        if argument == .text(""), !path.end.isString { return isNil(path) }
        var value: Value
        do throws(ArgumentMismatch) {
            let reader = ArgumentReader(names: api.names, catalogue: api.catalogue)
            value = try reader.value(of: argument, as: OperandType(kind: path.end.kind))
        } catch {
            let hint = argument.isNullWord ? "An empty value means null: \(path.text)=" : error.hint
            throw Problem(.parameter, "In “\(path.text)”: \(error.message)", hint: hint)
        }
        if value == .null { return isNil(path) }
        if path.namesEntity { value = api.catalogue.servedEntity(value) }
        let comparison = Comparison(
            path.expression,
            .equal,
            .constant(value),
            modifier: path.end.isMany ? .any : .direct
        )
        return comparison.withRoundedDates ?? comparison.withAllKinds(of: api.catalogue.model)
    }

    private func isNil(_ path: ResolvedKeyPath) -> ObjectPredicate {
        guard path.end.isMany else { return .comparing(path.expression, .equal, .constant(.null)) }
        guard case .object = path.end.kind else {
            return .comparing(path.expression, .equal, .constant(.null), modifier: .any)
        }
        return .comparing(.keyPath(of: .evaluatedObject, path.keys + [.collection(.count)]), .equal, .constant(0))
    }
}

extension PredicateArgument {
    /// Whether it is the text `null` or `nil`.
    fileprivate var isNullWord: Bool {
        guard case .text(let text) = self else { return false }
        return ["null", "nil"].contains(text.lowercased())
    }
}

extension OperandType {
    /// Whether an empty text is a valid value.
    fileprivate var isString: Bool {
        switch kind {
        case .text: true
        case .attribute(let attribute): attribute.type == .string
        default: false
        }
    }
}
