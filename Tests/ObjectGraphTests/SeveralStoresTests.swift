// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import ObjectGraph
import ObjectModel
import Predicates
import StoreConformance
import TestSupport
import Testing

@Suite("Several stores of one coordinator")
struct SeveralStoresTests {
    let world: World
    let second: any PersistentStore

    init() throws {
        world = try World()
        second = try TestStore.make(world.coordinator.model)
        try world.coordinator.add(second)
    }

    @Test("new objects go to the first store unless they are assigned, and fetches include all stores")
    func fetching() throws {
        try world.run { context in
            for views in 0..<6 {
                let post = try context.insert("Post")
                try post.setValue(.integer(Int64(views)), forKey: "views")
                if views % 2 == 1 { try context.assign(post, to: second) }
            }
            try context.save()
        }
        try world.run { context in
            var request = FetchRequest<ManagedObject>("Post", predicate: try ObjectPredicate("views > 0"))
            request.sortDescriptors = [ObjectSortDescriptor("views", ascending: false)]
            request.fetchOffset = 1
            request.fetchLimit = 3
            for includesPendingChanges in [true, false] {
                request.includesPendingChanges = includesPendingChanges
                let posts = try context.fetch(request)
                #expect(try posts.map { try $0.value(forKey: "views") } == [4, 3, 2])
                #expect(try context.objectIDs(request) == posts.map(\.objectID))
                #expect(try context.count(request) == 3)
                #expect(posts[1].objectID.storeIdentifier == second.identifier)
            }
        }
    }

    @Test("an object that a child has assigned to a store is saved there by its parent")
    func assignedInChild() throws {
        try world.run { context in
            let id = try context.withChild { child in
                let post = try child.insert("Post")
                try child.assign(post, to: second)
                try child.save()
                return post.objectID
            }
            try context.save()
            #expect(context.object(with: id).objectID.storeIdentifier == second.identifier)
        }
    }

    @Test("objects of different stores can't be related")
    func acrossStores() throws {
        try world.run { context in
            let (post, tag) = (try context.insert("Post"), try context.insert("Tag"))
            let page = try context.insert("Page")
            try context.assign(tag, to: second)
            try context.assign(page, to: second)
            try post.relate("tags", tag)
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .acrossStores)
            try post.unrelate("tags", tag)
            try page.relate("post", post)
            #expect(throws: GraphError.self) { try context.save() }
            #expect(context.insertedObjects.count == 3)
            try page.unrelate("post", post)
            try context.save()
        }
    }

    @Test("a conflict in one of the stores is resolved by the merge policy, and both stores are saved")
    func mergedConflict() throws {
        try world.run { context in
            let post = try context.insert("Post")
            try context.assign(post, to: second)
            try context.save()
        }
        try world.run { context in
            context.mergePolicy = .overwrite
            try context.insert("Tag")
            let post = try #require(try context.fetch(FetchRequest<ManagedObject>("Post")).first)
            try post.setValue("Mine", forKey: "title")
            try world.run { other in
                let same = try #require(try other.fetch(FetchRequest<ManagedObject>("Post")).first)
                try same.setValue("Theirs", forKey: "title")
                try other.save()
            }
            try context.save()
            #expect(try post.value(forKey: "title") == "Mine")
        }
        #expect(try world.run { try $0.count(FetchRequest<ManagedObject>("Tag")) } == 1)
    }

    @Test("without preparation, a store's refusal after another store's save is an error")
    func incompleteSave() throws {
        let model = world.coordinator.model
        let coordinator = PersistentStoreCoordinator(model: model)
        let plain = [PlainStore(InMemoryStore(model: model)), PlainStore(InMemoryStore(model: model))]
        for store in plain + [PlainStore(InMemoryStore(model: model))] { try coordinator.add(store) }
        func save(_ count: Int) throws {
            try coordinator.withContext { context in
                for store in coordinator.stores.prefix(count) {
                    try context.assign(try context.insert("Tag"), to: store)
                }
                try context.save()
            }
        }
        try save(2)
        plain[1].failNextSaves(1)
        let error = #expect(throws: GraphError.self) { try save(2) }
        #expect(error?.code == .incompleteSave)
        #expect(try coordinator.withContext { try $0.count(FetchRequest<ManagedObject>("Tag")) } == 3)
    }

    @Test("a single store that can't prepare is saved between the others' preparation and commit")
    func oneThatCannotPrepare() throws {
        let model = world.coordinator.model
        let coordinator = PersistentStoreCoordinator(model: model)
        let plain = PlainStore(InMemoryStore(model: model))
        let stores: [any PersistentStore] = [try TestStore.make(model), plain, try TestStore.make(model)]
        for store in stores { try coordinator.add(store) }
        try coordinator.withContext { context in
            for store in stores { try context.assign(try context.insert("Tag"), to: store) }
            plain.failNextSaves(1000)
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .constraint)
            #expect(try coordinator.withContext { try $0.count(FetchRequest<ManagedObject>("Tag")) } == 0)
            plain.failNextSaves(0)
            try context.save()
        }
        #expect(try coordinator.withContext { try $0.count(FetchRequest<ManagedObject>("Tag")) } == 3)
    }

    @Test("a removed store refuses saves, and its objects can't be read")
    func removedStore() throws {
        try world.run { context in
            let post = try context.insert("Post")
            try context.assign(post, to: second)
            try context.save()
            try post.setValue("Changed", forKey: "title")
            world.coordinator.remove(second)
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .unknownStore)
            #expect(context.updatedObjects == [post])
            try context.refresh(post, mergingChanges: false)
            #expect(throws: GraphError.self) { try post.value(forKey: "title") }
            let other = try context.insert("Post")
            #expect(throws: GraphError.self) { try context.assign(other, to: second) }
        }
    }

    @Test("a save writes the metadata of unchanged stores, and objects only to stores of their configuration")
    func metadataAndConfigurations() throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Left") { Attribute("name", .string).optional() }
                Entity("Right") { Attribute("name", .string).optional() }
                Configuration("Lefts", entities: ["Left"])
                Configuration("Rights", entities: ["Right"])
            }
        )
        try Checkout.withFolder { folder in
            let coordinator = PersistentStoreCoordinator(model: model)
            let left = try TestStore.make(model)
            let right = try AtomicStore(path: folder + "/Right", format: .xml, model: model)
            try coordinator.add(left, configuration: "Lefts")
            try coordinator.add(right, configuration: "Rights")
            try right.setMetadata(StoreMetadata(values: ["note": "kept"]))
            try coordinator.withContext { context in
                let object = try context.insert("Left")
                let error = #expect(throws: GraphError.self) { try context.assign(object, to: right) }
                #expect(error?.code == .invalidRequest)
                try context.save()
                #expect(object.objectID.storeIdentifier == left.identifier)
            }
            let reopened = try AtomicStore(path: folder + "/Right", format: .xml, model: model)
            #expect(reopened.metadata.values["note"] == "kept")
        }
    }

    @Test("a store can be added once, with a configuration of the model")
    func adding() throws {
        #expect(throws: GraphError.self) { try world.coordinator.add(second) }
        let other = try TestStore.make(world.coordinator.model)
        let error = #expect(throws: GraphError.self) { try world.coordinator.add(other, configuration: "Cloud") }
        #expect(error?.code == .unknownName)
    }
}
