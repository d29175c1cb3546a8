// SPDX-License-Identifier: Apache-2.0

// What access rules leave of a description: what no rule permits isn't described. Without rules, everything is.

import Identities
import ObjectGraph

extension ModelDescription {
    func permits(_ verb: AccessVerb, _ resource: Resource) -> Bool { api.permits(verb, resource) }

    func permitsWriting(_ property: String, of resource: Resource) -> Bool {
        guard let access = api.access, let entity = served(resource) else { return true }
        return access.canWrite(property, of: entity)
    }

    /// Whether a new object gets its value of a property from the rules.
    func isForced(_ property: String, of resource: Resource) -> Bool {
        guard let access = api.access, let entity = served(resource) else { return false }
        return access.forcedValues(of: entity)[property] != nil
    }

    /// The entity of the served model, which has more than the described one.
    private func served(_ resource: Resource) -> EntityDescription? {
        api.access?.model.entity(named: resource.entity.name)
    }
}
