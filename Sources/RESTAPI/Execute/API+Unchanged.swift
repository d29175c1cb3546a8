// SPDX-License-Identifier: Apache-2.0

// Whether a list is as it was, without reading it.

import HTTPMessage
import ObjectGraph

extension API {
    /// The tag of what a plan would answer now. It is made of the change counters of all entities that the answer depends on, and taken
    /// before anything is read, so that it never says more than was read. Nil where the answer depends on the moment.
    func tag(of plan: FetchPlan) -> EntityTag? {
        guard let entities = entities(of: plan) else { return nil }
        let state = state(of: entities)
        // Where there is no owner there is no list, whatever another owner's is tagged with.
        return EntityTag(plan.source.owner.map { "\(state)-\($0.key)" } ?? state, isWeak: true)
    }

    /// Notes what the list of a request depends on, so that it is known by its target alone when it is asked for again.
    func note(_ plan: Plan, of request: HTTPRequest) {
        guard case .fetch(let plan) = plan, case .all = plan.source, request.method == .get || request.method == .head,
            !knownLists.contains(request.target), let entities = entities(of: plan)
        else { return }
        knownLists.note(request.target, entities)
    }

    /// The tag that the list at a target has now, if it is known what it depends on.
    func tag(ofListAt target: String) -> EntityTag? {
        knownLists.entities(of: target).map { EntityTag(state(of: $0), isWeak: true) }
    }

    private func state(of entities: [EntityDescription]) -> String {
        let count = coordinator.changeCounter(of: entities)
        return "\(String(coordinator.epoch, radix: 36))-\(String(count, radix: 36))"
    }

    /// What an answer depends on; nil where it depends on the moment too.
    private func entities(of plan: FetchPlan) -> [EntityDescription]? {
        guard plan.isTagged, !plan.isExplained, plan.format == .json else { return nil }
        let read = EntitiesRead(plan, in: catalogue)
        return read.isVolatile ? nil : read.indices.map { catalogue.model.entities[$0] }
    }
}
