// SPDX-License-Identifier: Apache-2.0

// Whether an identity may change an object of a context, and the values of those that it creates.

import AccessRules
import Identities
import ObjectGraph
import Predicates

extension Access {
    /// Whether an alternative permits a verb on an object: on the committed object and on the object as it will be.
    ///
    /// - Parameter evaluator: Evaluates the conditions of all objects of a request.
    func permits(_ verb: AccessVerb, on object: ManagedObject, with evaluator: Evaluator) throws -> Bool {
        guard case .when(let rules) = permission(verb, object.entity) else { return true }
        guard let reader = object.context?.committedReader else { return false }
        let committed = object.committedSnapshot.map { EvaluatedRow(snapshot: $0, reader: reader) }
        do {
            return try rules.contains { rule in
                if verb != .create {
                    guard let committed, try evaluator.matches(rule.existing, committed) else { return false }
                }
                return try verb == .delete || evaluator.matches(rule.resulting, object)
            }
        } catch {
            throw GraphError.evaluation(error)
        }
    }

    /// Sets the values that creations force.
    func forceValues(of inserted: [ManagedObject], in context: ManagedObjectContext) throws {
        for object in inserted {
            for (name, value) in forcedValues(of: object.entity) {
                switch object.entity.property(named: name) {
                case .attribute(let attribute): try object.setValue(attribute.accepting(value) ?? .null, of: attribute)
                case .relationship(let relationship):
                    let isUser = if case .reference = value { true } else { false }
                    try object.setObject(isUser ? user.map(context.existingObject) : nil, of: relationship)
                case .fetched, nil: break
                }
            }
        }
    }

    /// Throws if the identity may not change an attribute of an object, which has its new value.
    func check(_ attribute: AttributeDescription, of object: ManagedObject, in api: API) throws {
        let isPermitted = try permits(.update, on: object, with: .limited())
        guard isPermitted, canWrite(attribute.name, of: object.entity) else {
            let name = api.catalogue.reference(to: object.objectID)
            throw Problem(.forbidden, "\(name): The access rules don't permit the change.")
        }
    }
}
