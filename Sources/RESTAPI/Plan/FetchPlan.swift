// SPDX-License-Identifier: Apache-2.0

// Fetching objects of an entity.

import Predicates

struct FetchPlan: Equatable, Sendable {
    /// What the answer holds.
    enum Result: String, CaseIterable, Sendable {
        case objects
        case ids
        case count
        case dictionary
    }

    var resource: Resource
    var predicate: ObjectPredicate?
    var sortDescriptors: [ObjectSortDescriptor] = []
    var limit: Int
    var offset = 0
    var includesSubentities = true
    var includesPendingChanges = true
    var selection = Selection.all
    var countsAll = false
    var result = Result.objects
}
