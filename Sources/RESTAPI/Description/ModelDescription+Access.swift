// SPDX-License-Identifier: Apache-2.0

// What access rules leave of a description: what no rule permits isn't described. Without rules, everything is.

import Identities
import ObjectGraph

extension ModelDescription {
    func permits(_ verb: AccessVerb, _ resource: Resource) -> Bool { api.permits(verb, resource) }

    func permitsWriting(_ property: String, of resource: Resource) -> Bool {
        api.permitsWriting(property, of: resource)
    }

    func isForced(_ property: String, of resource: Resource) -> Bool { api.isForced(property, of: resource) }
}
