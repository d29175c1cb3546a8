// SPDX-License-Identifier: Apache-2.0

// Finding objects by unique values.

extension ManagedObjectContext {
    /// The objects that have some keys, pending changes included; of several stores the first one's. A fetch finds up to
    /// 500 keys of a constraint.
    package func objects(having keys: some Sequence<UniqueKey>) throws(GraphError) -> [UniqueKey: ManagedObject] {
        let keys = OrderedMembers(keys).members
        var found: [UniqueKey: ManagedObject] = [:]
        for constraint in OrderedMembers(keys.map(\.constraint)).members {
            guard let entity = model.entity(of: constraint) else { continue }
            let own = keys.filter { $0.constraint == constraint }
            for start in stride(from: 0, to: own.count, by: Self.keyLimit) {
                let part = own[start...].prefix(Self.keyLimit)
                var request = FetchRequest<ManagedObject>(entity.name)
                request.predicate = UniqueKey.predicate(of: part, constraint)
                request.returnsObjectsAsFaults = false
                for object in try fetch(request) {
                    if let key = UniqueKey(constraint, of: object.row), found[key] == nil { found[key] = object }
                }
            }
        }
        return found
    }

    private static var keyLimit: Int { 500 }
}
