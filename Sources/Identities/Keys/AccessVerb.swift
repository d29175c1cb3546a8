// SPDX-License-Identifier: Apache-2.0

/// What may be done with the objects of an entity.
package enum AccessVerb: String, CaseIterable, Hashable, Sendable {
    case read
    case create
    case update
    case delete

    /// The verbs of a set, in the order of the cases.
    package static func sorted(_ verbs: Set<AccessVerb>) -> [AccessVerb] { allCases.filter(verbs.contains) }
}
