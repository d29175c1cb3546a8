// SPDX-License-Identifier: Apache-2.0

// The objects of a fetch that are read when they are looked at, some at a time.

extension ManagedObjectContext {
    /// The objects that a request asks for. Which they are is asked at once, with one call to the store; their values are read
    /// `fetchBatchSize` at a time, with one call each, when one of them is looked at.
    public func fetchLazily<Object>(_ request: FetchRequest<Object>) throws(GraphError) -> FetchedObjects<Object> {
        let ids = try objectIDs(request)
        for entity in OrderedMembers(ids.lazy.map(\.entity)) where !(source.objectClass(for: entity) is Object.Type) {
            throw .unregisteredClass(Object.self, for: entity)
        }
        return FetchedObjects(ids, request, in: self)
    }

    /// Makes the objects of some IDs and reads their values, with one call.
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

/// The objects of a request, in its order, made and filled as they are looked at.
///
/// What is found stays as it was when it was asked for: an object that is deleted meanwhile is still among them. Where the
/// store can't be read, an object is a fault, and who asks for its values gets the error.
public final class FetchedObjects<Object: ManagedObject>: RandomAccessCollection {
    /// The objects by their IDs, of which none is made for it.
    public let objectIDs: [ManagedObjectID]
    private let request: FetchRequest<Object>
    private let context: ManagedObjectContext
    private let batchSize: Int
    /// The objects that were read last, which are held so that they stay filled while they are gone through.
    private var batch: [ManagedObject] = []

    init(_ objectIDs: [ManagedObjectID], _ request: FetchRequest<Object>, in context: ManagedObjectContext) {
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
            preconditionFailure("An object of \(found.entity.name) is not of the class \(Object.self).")
        }
        return object
    }
}

@available(*, unavailable, message: "Objects stay with their context. Take values or object IDs out of the closure.")
extension FetchedObjects: Sendable {}
