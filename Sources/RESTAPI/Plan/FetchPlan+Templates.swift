// SPDX-License-Identifier: Apache-2.0

// Plans the model's fetch request templates: `GET /api/queries/{name}?VAR=…`.

import HTTPMessage
import ObjectGraph
import ObjectModel
import Predicates
import SourceText

extension FetchPlan {
    /// A template's request. Its variables are parameters beside those of any fetch.
    init(_ request: APIRequest, template name: String, in api: API) throws(Problem) {
        let described = api.catalogue.described.model
        let templates = described.model.fetchRequestTemplates
        guard let template = templates.first(where: { $0.name == name }),
            let entity = described.entity(named: template.entityName)
        else {
            throw Problem(
                .notFound,
                "There is no query “\(name)”.",
                hint: Spelling.hint(for: name, among: templates.map(\.name)) ?? "GET /api/queries lists them."
            )
        }
        let resource = api.catalogue[api.catalogue.served(entity)]
        var parameters = request.parameters
        var defaults = Defaults(template)
        if let predicate = template.objectPredicate {
            let variables = predicate.freeVariables.sorted()
            defaults.names = variables
            var values: [String: PredicateArgument] = [:]
            for variable in variables {
                var text = try parameters.read("$\(variable)")
                if text == nil { text = try parameters.read(variable) }
                values[variable] = try text.map { (text) throws(Problem) in try PredicateArgument(query: text) }
            }
            let missing = variables.filter { values[$0] == nil }
            guard missing.isEmpty else { throw .missing(missing, of: name, given: parameters.names) }
            defaults.predicate = try Self.filled(predicate, with: values, of: resource, in: api)
        }
        try self.init(request, of: resource, defaults, without: parameters, in: api)
    }

    private static func filled(
        _ predicate: ObjectPredicate,
        with values: [String: PredicateArgument],
        of resource: Resource,
        in api: API
    ) throws(Problem) -> ObjectPredicate {
        let filling = ArgumentSubstitution(
            reader: ArgumentReader(names: api.names, catalogue: api.catalogue),
            types: OperandTypeResolver(model: api.catalogue.described.model, entity: resource.described),
            arguments: [],
            variables: values
        )
        do throws(ArgumentSubstitutionError) {
            return api.catalogue.served(try filling.filled(predicate), of: resource)
        } catch {
            throw Problem(.parameter, error.message, hint: error.hint)
        }
    }
}

extension FetchPlan.Defaults {
    init(_ template: FetchRequestTemplate) {
        limit = template.fetchLimit.flatMap { $0 > 0 ? $0 : nil }
        switch template.resultType {
        case .objectIDs: result = .ids
        case .dictionaries: result = .dictionary
        case .objects, nil: result = .objects
        }
        isDistinct = template.returnsDistinctResults ?? false
        includesSubentities = template.includesSubentities ?? true
        includesPendingChanges = template.includesPendingChanges ?? true
    }
}

extension FetchRequestTemplate {
    /// The predicate with its variables. It can be parsed, since the model was checked.
    var objectPredicate: ObjectPredicate? {
        predicate.flatMap { $0.isEmpty ? nil : try? ObjectPredicate(template: $0) }
    }
}

extension Problem {
    fileprivate static func missing(_ missing: [String], of name: String, given: [String]) -> Problem {
        let slip = given.lazy.compactMap { given in
            Spelling.nearest(to: given, among: missing).map { "The request has “\(given)”; did you mean “\($0)”?" }
        }.first
        let example = missing.map { "\($0)=…" }.joined(separator: "&")
        return Problem(
            .parameter,
            "The query “\(name)” needs a value for \(missing.map { "$\($0)" }.joined(separator: ", ")).",
            hint: slip ?? "Pass variables as parameters: ?\(example)"
        )
    }
}
