// SPDX-License-Identifier: Apache-2.0

// The objects of a lazy fetch, read in batches when they are used.

extension ManagedObjectContext {
    /// Fetches lazily: the IDs at once with one call, the values in batches of `fetchBatchSize`, with one call for each
    /// batch that is used.
    public func fetchLazily<Object>(_ request: FetchRequest<Object>) throws(GraphError) -> FetchedObjects<Object> {
        let ids = try objectIDs(request)
        for entity in OrderedMembers(ids.lazy.map(\.entity)) where !(source.objectClass(for: entity) is Object.Type) {
            throw .unregisteredClass(Object.self, for: entity)
        }
        return FetchedObjects(ids, for: request, in: self)
    }

    /// Creates the objects of some IDs and reads their values with one call.
    func objects<Object>(
        _ ids: ArraySlice<ManagedObjectID>,
        for request: FetchRequest<Object>
    ) throws(GraphError) -> [ManagedObject] {
        let objects = ids.map { object(with: current($0)) }
        try fire(objects)
        try prefetch(request, of: objects)
        return objects
    }
}

/// The objects of a lazy fetch in order, created and filled when they are used.
///
/// The result is fixed: an object that is deleted meanwhile stays in it. If the store can't be read, the object is a
/// fault, and using its values throws.
public final class FetchedObjects<Object: ManagedObject>: RandomAccessCollection {
    /// The IDs of the objects, without creating the objects.
    public let objectIDs: [ManagedObjectID]
    private let request: FetchRequest<Object>
    private let context: ManagedObjectContext
    private let batchSize: Int
    /// The batch read last, retained so that its objects stay filled.
    private var batch: [ManagedObject] = []

    init(_ objectIDs: [ManagedObjectID], for request: FetchRequest<Object>, in context: ManagedObjectContext) {
        self.objectIDs = objectIDs
        self.request = request
        self.context = context
        batchSize = request.fetchBatchSize > 0 ? request.fetchBatchSize : Swift.max(objectIDs.count, 1)
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { objectIDs.count }

    public subscript(index: Int) -> Object {
        let found = context.object(with: context.current(objectIDs[index]))
        if found.isFault, !found.status.contains(.missing) {
            let start = index / batchSize * batchSize
            let ids = objectIDs[start..<Swift.min(start + batchSize, objectIDs.count)]
            if let read = try? context.objects(ids, for: request) { batch = read }
        }
        guard let object = found as? Object else {
            preconditionFailure("An object of \(found.entity.name) isn't a \(Object.self).")
        }
        return object
    }
}

@available(*, unavailable, message: "Objects can't leave their context. Take values or object IDs out of the closure.")
extension FetchedObjects: Sendable {}
