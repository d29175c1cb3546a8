// SPDX-License-Identifier: Apache-2.0

// Finding objects by unique values.

extension ManagedObjectContext {
    /// The objects that have some keys, pending changes included; of several stores the first one's.
    package func objects(having keys: some Sequence<UniqueKey>) throws(GraphError) -> [UniqueKey: ManagedObject] {
        let keys = OrderedMembers(keys).members
        var found: [UniqueKey: ManagedObject] = [:]
        for constraint in OrderedMembers(keys.map(\.constraint)).members {
            guard let entity = model.entity(of: constraint) else { continue }
            let own = keys.filter { $0.constraint == constraint }
            for predicate in UniqueKey.predicates(of: own, constraint) {
                var request = FetchRequest<ManagedObject>(entity.name)
                request.predicate = predicate
                request.returnsObjectsAsFaults = false
                for object in try fetch(request) {
                    if let key = UniqueKey(constraint, of: object.row), found[key] == nil { found[key] = object }
                }
            }
        }
        return found
    }
}
