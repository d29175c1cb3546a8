// SPDX-License-Identifier: Apache-2.0

// Fetch requests from the model's templates.

import ObjectModel
public import Predicates
import SourceText

extension ManagedObjectModel {
    /// A copy of a template's request, with values substituted for its `$VARIABLES`.
    ///
    ///     let request = try model.fetchRequest(fromTemplate: "PostsBy", substituting: ["NAME": "Ada"])
    public func fetchRequest<Object: ManagedObject>(
        fromTemplate name: String,
        substituting variables: [String: any ValueConvertible] = [:],
        as type: Object.Type = ManagedObject.self
    ) throws(GraphError) -> FetchRequest<Object> {
        guard let template = model.fetchRequestTemplates.first(where: { $0.name == name }) else {
            throw .unknownTemplate(name, in: model)
        }
        var request = try FetchRequest<Object>(template, named: name)
        guard let predicate = request.predicate else { return request }
        let missing = predicate.freeVariables.subtracting(variables.keys).sorted()
        guard missing.isEmpty else { throw .missingVariables(missing, of: template, given: variables.keys) }
        request.predicate = predicate.substituting(variables: variables.mapValues(\.value))
        return request
    }
}

extension FetchRequest {
    /// A template's options and predicate, which the model's check has parsed before. Missing options have their
    /// defaults.
    init(_ template: FetchRequestTemplate, named name: String) throws(GraphError) {
        self.init(template.entityName)
        if let format = template.predicate, !format.isEmpty {
            do throws(FormatError) {
                predicate = try ObjectPredicate(template: format)
            } catch {
                throw .unreadable(error, of: name)
            }
        }
        resultType = template.resultType ?? resultType
        fetchLimit = template.fetchLimit ?? fetchLimit
        fetchBatchSize = template.fetchBatchSize ?? fetchBatchSize
        includesSubentities = template.includesSubentities ?? includesSubentities
        includesPropertyValues = template.includesPropertyValues ?? includesPropertyValues
        includesPendingChanges = template.includesPendingChanges ?? includesPendingChanges
        returnsObjectsAsFaults = template.returnsObjectsAsFaults ?? returnsObjectsAsFaults
        returnsDistinctResults = template.returnsDistinctResults ?? returnsDistinctResults
    }
}

extension GraphError {
    static func unknownTemplate(_ name: String, in model: Model) -> GraphError {
        GraphError(
            .unknownName,
            "The model has no fetch request template “\(name)”.",
            hint: Spelling.hint(for: name, among: model.fetchRequestTemplates.map(\.name))
        )
    }

    static func missingVariables(
        _ missing: [String],
        of template: FetchRequestTemplate,
        given: some Sequence<String>
    ) -> GraphError {
        let slips = given.compactMap { name in
            Spelling.nearest(to: name, among: missing).map { "The request has “\(name)”; did you mean “\($0)”?" }
        }
        return GraphError(
            .invalidRequest,
            "The fetch request template “\(template.name)” needs a value for "
                + missing.map { "$\($0)" }.joined(separator: ", ") + ".",
            property: missing[0],
            hint: slips.sorted().first
        )
    }

    static func unreadable(_ error: FormatError, of name: String) -> GraphError {
        var wrapped = GraphError(
            .invalidRequest,
            "The predicate of “\(name)” can't be read: \(error.message)",
            property: name,
            hint: error.hint
        )
        wrapped.underlying = error
        return wrapped
    }
}
