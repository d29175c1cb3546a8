// SPDX-License-Identifier: Apache-2.0

// Reads parameters that are arguments, variables and conditions.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import SourceText

extension Parameters {
    /// Takes the arguments of placeholders, `arg`, and of variables, which begin with a dollar sign.
    mutating func readArguments() throws(Problem) -> PredicateArguments {
        let arguments = try readAll("arg").map { (text) throws(Problem) in try PredicateArgument(query: text) }
        var variables: [String: PredicateArgument] = [:]
        for name in names where name.hasPrefix("$") {
            variables[String(name.dropFirst())] = try read(name).map { (text) throws(Problem) in
                try PredicateArgument(query: text)
            }
        }
        return PredicateArguments(arguments, variables: variables)
    }

    /// Takes the remaining parameters as conditions; a name that isn't a property is unknown.
    mutating func readConditions(
        of resource: Resource,
        knowing known: [String],
        in api: API
    ) throws(Problem) -> [ObjectPredicate] {
        let reader = EqualityReader(api: api, resource: resource)
        let values = Dictionary(grouping: items, by: \.name)
        var conditions: [ObjectPredicate] = []
        var taken: Set<String> = []
        for name in names {
            let values =
                (values[name] ?? []).map { PredicateArgument.text($0.value) }
                + nulls.filter { $0 == name }.map { _ in .json(.null) }
            guard let condition = try reader.predicate(name, values) else { break }
            conditions.append(condition)
            taken.insert(name)
        }
        let terms = items.count { taken.contains($0.name) }
        guard terms <= api.options.predicateLimits.maximumTerms else {
            throw Problem(
                .predicate,
                "There are \(terms) conditions; at most \(api.options.predicateLimits.maximumTerms) are allowed."
            )
        }
        drop(taken)
        try refuseUnread { name in
            guard name != "asOf" else { return "It reads one object: GET /api/\(resource.path)/7?asOf=TOKEN." }
            if let meant = api.catalogue.reference(meantBy: name, of: resource) {
                return "Use \(meant.name) with a reference: \(meant.name)=\(meant.resource.path)/1."
            }
            return FamiliarParameters.hint(for: name, knowing: known)
                ?? api.catalogue.hint(for: name, of: resource, also: known)
        }
        return conditions
    }
}
