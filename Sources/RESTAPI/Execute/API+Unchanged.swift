// SPDX-License-Identifier: Apache-2.0

// Determines whether a list is unchanged without reading it.

import HTTPMessage
import ObjectGraph

extension API {
    /// The tag of a plan's current answer: the change counters of all entities that it depends on. It is computed
    /// before reading, so that it is never newer than the rows.
    func tag(of plan: FetchPlan, reading entities: [EntityDescription]) -> EntityTag {
        let state = state(of: entities)
        // A missing owner has no list, whatever the tags of other owners' lists.
        return EntityTag(plan.source.owner.map { "\(state)-\($0.key)" } ?? state, isWeak: true)
    }

    /// Records the entities of a list, so that the next request is recognised by its target alone.
    func recordEntities(of reply: Reply, to plan: Plan, for request: HTTPRequest) {
        guard case .fetch(let plan) = plan, case .all = plan.source, request.method == .get || request.method == .head,
            let entities = reply.entities
        else { return }
        listDependencies.record(entities, of: request.target)
    }

    /// The current tag of the list at a target, if its entities are known.
    func tag(ofListAt target: String) -> EntityTag? {
        listDependencies.entities(of: target).map { EntityTag(state(of: $0), isWeak: true) }
    }

    /// A list differs between versions of the model, and between identities.
    private func state(of entities: [EntityDescription]) -> String {
        let count = coordinator.changeCounter(of: entities)
        let version = catalogue.view.map { "-\($0.tag)" } ?? ""
        let identity = access.map { "-\($0.tag)" } ?? ""
        return "\(String(coordinator.epoch, radix: 36))-\(String(count, radix: 36))\(version)\(identity)"
    }

    /// The entities that an answer depends on, or nil if it also depends on the current time.
    func entities(of plan: FetchPlan) -> [EntityDescription]? {
        guard plan.isTagged, !plan.isExplained, plan.format == .json else { return nil }
        let read = EntityDependencies(plan, in: catalogue, for: access)
        return read.isVolatile ? nil : read.indices.map { catalogue.model.entities[$0] }
    }
}
