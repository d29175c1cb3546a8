// SPDX-License-Identifier: Apache-2.0

// Reads one object.

struct ObjectPlan: Equatable, Sendable {
    var target: ObjectLocation
    /// The to-one relationship of that object whose destination is read, or nil.
    var relationship: ResourceProperty?
    var selection: Selection
    var conditions: Preconditions
}
