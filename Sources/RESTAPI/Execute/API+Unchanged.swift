// SPDX-License-Identifier: Apache-2.0

// Whether a list is as it was, without reading it.

import HTTPMessage
import ObjectGraph

extension API {
    /// The tag of what a plan would answer now. It is made of the change counters of all entities that the answer depends on, and taken
    /// before anything is read, so that it never says more than was read. Nil where the answer depends on the moment.
    func tag(of plan: FetchPlan) -> EntityTag? {
        guard plan.isTagged, !plan.isExplained else { return nil }
        let read = EntitiesRead(plan, in: catalogue)
        guard !read.isVolatile else { return nil }
        let entities = read.indices.map { catalogue.model.entities[$0] }
        let count = coordinator.changeCounter(of: entities)
        let state = "\(String(coordinator.epoch, radix: 36))-\(String(count, radix: 36))"
        // Where there is no owner there is no list, whatever another owner's is tagged with.
        return EntityTag(plan.source.owner.map { "\(state)-\($0.key)" } ?? state, isWeak: true)
    }
}
