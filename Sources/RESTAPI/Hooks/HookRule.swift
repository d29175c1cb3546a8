// SPDX-License-Identifier: Apache-2.0

// The changes that a hook selects, in terms of the served model.

import ObjectGraph
import ObjectModel
import Predicates
import SourceText

struct HookRule: Sendable {
    let filter: HistoryFilter
    /// The condition for objects of each entity; empty without a condition.
    private let conditions: [(entity: EntityDescription, predicate: ObjectPredicate)]

    init(_ hook: Hook, in api: API) throws(HookProblem) {
        var resources: [Resource] = []
        for name in hook.entities ?? [] {
            guard let resource = api.catalogue.resource(named: name) else {
                throw HookProblem(
                    member: "entities",
                    message: "The model has no entity “\(name)”.",
                    hint: Spelling.hint(for: name, among: api.catalogue.names)
                )
            }
            resources.append(resource)
        }
        var filter = HistoryFilter()
        filter.entities = hook.entities == nil ? nil : resources.map(\.entity)
        filter.kinds = hook.kinds
        self.filter = filter
        guard let text = hook.predicate else {
            conditions = []
            return
        }
        if hook.entities == nil {
            resources = api.catalogue.model.entities.filter { $0.entity.parentName == nil }.map { api.catalogue[$0] }
        }
        var conditions: [(entity: EntityDescription, predicate: ObjectPredicate)] = []
        for resource in resources {
            do throws(Problem) {
                var arguments = PredicateArguments()
                let reader = PredicateReader(api: api, resource: resource, text: text)
                conditions.append((resource.entity, try reader.predicate(&arguments)))
            } catch {
                let scope = hook.entities == nil ? "Without “entities” it must be valid for every entity." : nil
                throw HookProblem(
                    member: "predicate",
                    message: "The predicate can't be used for \(resource.name): \(error.detail)",
                    hint: error.hint ?? scope
                )
            }
        }
        self.conditions = conditions
    }

    /// The changes of objects that match the condition now. Deletions, and changes of objects that don't exist any more,
    /// match: nothing is known of them.
    func selected(
        _ changes: [HistoryChange],
        in coordinator: PersistentStoreCoordinator
    ) throws -> [HistoryChange] {
        guard !conditions.isEmpty else { return changes }
        let objects = Set(changes.lazy.filter { $0.kind != .delete }.map(\.objectID))
        let rejected = try coordinator.read(pinned: true) { [conditions] reader in
            var rejected: Set<ManagedObjectID> = []
            for (entity, predicate) in conditions {
                let members = objects.filter { $0.entity.isKind(of: entity) }
                guard !members.isEmpty else { continue }
                let all = try ObjectPredicate("SELF IN %@", Value.array(members.map { .reference($0.objectReference) }))
                func fetch(_ predicate: ObjectPredicate) throws -> [ManagedObjectID] {
                    try reader.objectIDs(FetchRequest<ManagedObject>(entity.name, predicate: predicate))
                }
                rejected.formUnion(Set(try fetch(all)).subtracting(try fetch(.all(of: [all, predicate]))))
            }
            return rejected
        }
        return changes.filter { $0.kind == .delete || !rejected.contains($0.objectID) }
    }
}
