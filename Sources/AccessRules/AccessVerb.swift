// SPDX-License-Identifier: Apache-2.0

/// What an identity may do with an object.
package enum AccessVerb: String, CaseIterable, Hashable, Sendable {
    case read
    case create
    case update
    case delete
}
