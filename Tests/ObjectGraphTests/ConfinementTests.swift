// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import Testing

@Suite("Confinement")
struct ConfinementTests {
    /// Carries an object past the compiler.
    fileprivate final class Smuggler: @unchecked Sendable {
        var object: ManagedObject?
        var context: ManagedObjectContext?
        var controller: FetchedResultsController<ManagedObject>?
    }

    @Test("using an object after its context has ended traps with a message")
    func afterTheEnd() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let smuggler = Smuggler()
            try World().run { smuggler.object = try $0.insert("Tag") }
            _ = try smuggler.object?.value(forKey: "name")
        }
        try PreconditionTests.expect("An object was used after its managed object context had ended.", in: result)
    }

    @Test("using an object between two closures of its context traps with a message")
    func betweenClosures() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let smuggler = Smuggler()
            let live = try World().coordinator.liveContext()
            try await live.perform { smuggler.object = try $0.insert("Tag") }
            _ = try smuggler.object?.value(forKey: "name")
        }
        try PreconditionTests.expect("was used outside of its closure.", in: result)
    }

    /// State of an object or a context that can be read without reading a value.
    fileprivate enum State: String, CaseIterable, Codable, Sendable {
        case isFault, isInserted, isUpdated, isDeleted, hasChanges, rowVersion, hasPersistentChangedValues,
            changedValues, hasFault
        case contextHasChanges, insertedObjects, updatedObjects, deletedObjects, registeredObjects
        case fetchedObjects, sections, indexPath

        func ask(_ smuggler: Smuggler) {
            switch self {
            case .isFault: _ = smuggler.object?.isFault
            case .isInserted: _ = smuggler.object?.isInserted
            case .isUpdated: _ = smuggler.object?.isUpdated
            case .isDeleted: _ = smuggler.object?.isDeleted
            case .hasChanges: _ = smuggler.object?.hasChanges
            case .rowVersion: _ = smuggler.object?.rowVersion
            case .hasPersistentChangedValues: _ = smuggler.object?.hasPersistentChangedValues
            case .changedValues: _ = smuggler.object?.changedValues
            case .hasFault: _ = smuggler.object?.hasFault(forRelationshipNamed: "posts")
            case .contextHasChanges: _ = smuggler.context?.hasChanges
            case .insertedObjects: _ = smuggler.context?.insertedObjects
            case .updatedObjects: _ = smuggler.context?.updatedObjects
            case .deletedObjects: _ = smuggler.context?.deletedObjects
            case .registeredObjects: _ = smuggler.context?.registeredObjects
            case .fetchedObjects: _ = smuggler.controller?.fetchedObjects
            case .sections: _ = smuggler.controller?.sections
            case .indexPath: _ = smuggler.object.flatMap { smuggler.controller?.indexPath(of: $0) }
            }
        }
    }

    @Test("reading the state of an object or a context outside its closure traps", arguments: State.allCases)
    fileprivate func state(state: State) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [state] in
            let smuggler = Smuggler()
            let live = try World().coordinator.liveContext()
            try await live.perform { context in
                var request = FetchRequest<ManagedObject>("Tag")
                request.sortDescriptors = [ObjectSortDescriptor("name")]
                (smuggler.object, smuggler.context) = (try context.insert("Tag"), context)
                smuggler.controller = try FetchedResultsController(request: request, context: context)
                try smuggler.controller?.performFetch()
                state.ask(smuggler)
            }
            state.ask(smuggler)
        }
        try PreconditionTests.expect("was used outside of its closure.", in: result)
    }

    @Test("an object of another context can't be related or deleted")
    func otherContext() async throws {
        let world = try World()
        let error = #expect(throws: GraphError.self) {
            let smuggler = Smuggler()
            try world.run { context in
                smuggler.object = try context.insert("Post")
                try world.run { other in try smuggler.object?.relate("author", try other.insert("User")) }
            }
        }
        #expect(error?.code == .otherContext)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let world = try World()
            let smuggler = Smuggler()
            try world.run { context in
                let post = try context.insert("Post")
                smuggler.object = post
                try world.run { other in smuggler.object.map(other.delete) }
            }
        }
        try PreconditionTests.expect("An object can only be deleted in its own context.", in: result)
    }
}
