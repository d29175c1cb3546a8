// SPDX-License-Identifier: Apache-2.0

// The API's names of objects and its conversion of arguments, for programs that query stores without serving them.

package import JSON
package import ObjectGraph
package import Predicates

/// Why an argument of a predicate can't be converted.
package struct ArgumentProblem: Error {
    package let message: String
    package let hint: String?
}

/// Names of objects in the stores of a coordinator.
package struct ObjectNames {
    private let resolver: ObjectIDResolver
    private let catalogue: Catalogue

    /// Throws if names of the model are ambiguous in references.
    package init(_ coordinator: PersistentStoreCoordinator) throws(CatalogueProblems) {
        resolver = ObjectIDResolver(coordinator: coordinator, temporaryIDs: nil)
        catalogue = try Catalogue(coordinator.model)
    }

    /// What references to objects of an entity begin with: `posts`.
    package func path(of entity: EntityDescription) -> String { catalogue[entity].path }

    /// Replaces the placeholders of a predicate by arguments, converted like those of a request: to the type of the other
    /// operand. Key paths have the model's names. There must be an argument for each placeholder.
    package func filled(
        _ template: ObjectPredicate,
        arguments: [JSONValue],
        on entity: EntityDescription
    ) throws(ArgumentProblem) -> ObjectPredicate {
        let filling = ArgumentSubstitution(
            reader: ArgumentReader(names: resolver, catalogue: catalogue, isOfCommandLine: true),
            types: OperandTypeResolver(model: catalogue.model, entity: entity),
            arguments: arguments.map(PredicateArgument.json),
            variables: [:]
        )
        do throws(ArgumentSubstitutionError) {
            return try filling.filled(template.withKeys(of: arguments))
        } catch {
            throw ArgumentProblem(message: error.message, hint: error.hint)
        }
    }
}

extension ObjectPredicate {
    /// The predicate with the key paths that arguments have for `%K`.
    fileprivate func withKeys(of arguments: [JSONValue]) -> ObjectPredicate {
        mappingParts({ $0.withKeys(of: arguments) }, { $0.withKeys(of: arguments) })
    }
}

extension ObjectExpression {
    fileprivate func withKeys(of arguments: [JSONValue]) -> ObjectExpression {
        guard case .keyPath(let root, let keys) = self else {
            return mappingParts({ $0.withKeys(of: arguments) }, { $0.withKeys(of: arguments) })
        }
        let steps = keys.flatMap { key in
            guard case .argument(let index) = key, let path = arguments[index].string else { return [key] }
            return Key.path(path)
        }
        return .keyPath(of: root.withKeys(of: arguments), steps)
    }
}
