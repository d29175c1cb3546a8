// SPDX-License-Identifier: Apache-2.0

// Reads one object.

import ObjectGraph

struct ObjectPlan: Equatable, Sendable {
    var target: ObjectLocation
    /// The to-one relationship of that object whose destination is read, or nil.
    var relationship: ResourceProperty?
    var selection: Selection
    var conditions: Preconditions
    /// The position in the history at which the object is read, or nil for now.
    var asOf: HistoryToken?
}
