// SPDX-License-Identifier: Apache-2.0

// What a request is to change, known from its body and the model alone.

import FoundationEssentials
import ObjectGraph
import Predicates

/// Objects to be made, changed and deleted in one save, and what is answered then.
struct WritePlan: Equatable, Sendable {
    /// What of the objects is answered.
    enum Answer: Equatable, Sendable {
        /// The object of one write.
        case object(Int)
        /// The objects of some writes, in order.
        case list([Int])
        /// That it is gone.
        case deletion
        /// What came of each operation of a transaction.
        case operations([Int])

        /// Whether the first write is of the object that the path names.
        var isOfPath: Bool {
            switch self {
            case .object, .deletion: true
            case .list, .operations: false
            }
        }
    }

    /// Each object before those that are nested in it.
    var writes: [ObjectWrite]
    var answer: Answer
    var conditions: Conditions
    var preferences: Preferences
    var isDryRun = false
    var author: String?
    /// What is wrong with the body. What else speaks against the save is told along with it.
    var findings = Findings()

    /// The writes whose objects are answered.
    var answered: [Int] {
        switch answer {
        case .object(let index): [index]
        case .list(let indices), .operations(let indices): indices
        case .deletion: [0]
        }
    }
}

/// What is done to one object.
struct ObjectWrite: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case insert(Resource)
        case update(ObjectLocation)
        /// As an update, but what isn't named gets its default.
        case replace(ObjectLocation)
        case delete(ObjectLocation)

        var location: ObjectLocation? {
            switch self {
            case .insert: nil
            case .update(let location), .replace(let location), .delete(let location): location
            }
        }
    }

    var action: Action
    var place: BodyPlace
    /// What the body calls a new object, `$a`.
    var temporaryName: String?
    /// What a new object was called elsewhere, and keeps where it can.
    var kept: KeptIdentity?
    /// The entity that the body says the object is of.
    var entity: Resource?
    /// The version that the change goes out from.
    var baseVersion: Int64?
    var changes: [PropertyWrite] = []
    /// The write in whose body it is nested.
    var parent: Int?
    /// Whether it overwrites nothing that its sender should have seen.
    var onlyAdds = false

    var location: ObjectLocation? { action.location }

    var isInsertion: Bool { location == nil }

    var isDeletion: Bool {
        if case .delete = action { true } else { false }
    }
}

/// What is done to one property.
struct PropertyWrite: Equatable, Sendable {
    var property: ResourceProperty
    var change: Change
    var place: BodyPlace

    enum Change: Equatable, Sendable {
        case value(Value)
        /// Some elements of a composite.
        case merge([String: ElementChange])
        /// What is added to a number.
        case increment(Value)
        /// It stays, and was named for that.
        case keep
        case toOne(Reference?)
        case members([Reference])
        case edit(MembersEdit)
    }
}

/// A change of a composite's element.
indirect enum ElementChange: Equatable, Sendable {
    case value(Value)
    /// What is added to a number.
    case increment(Value)
    case merge([String: ElementChange])
}

/// Changes of a to-many relationship that leave the other members alone. They are done in this order.
struct MembersEdit: Equatable, Sendable {
    struct Move: Equatable, Sendable {
        var member: Reference
        var index: Int
    }

    var removed: [Reference] = []
    var added: [Reference] = []
    var moves: [Move] = []
    /// Whether the path names the member, so that none that isn't there is found by it.
    var isOfPath = false
}

/// An object that a body names, and where.
struct Reference: Equatable, Sendable {
    enum Target: Equatable, Sendable {
        case write(Int)
        case temporary(String)
        case stored(ObjectLocation)
    }

    var target: Target
    var place: BodyPlace

    /// What it leads to, for messages.
    var words: String {
        switch target {
        case .write: "another object"
        case .temporary(let name): name.shortened
        case .stored(let location): location.name.shortened
        }
    }
}

/// Where an object is stored: what a path or a reference names.
struct ObjectLocation: Sendable {
    /// The object's entity, or one above it.
    let resource: Resource
    /// What its store calls it.
    let key: String
    /// The store that a URI names; else it is the first that keeps the entity.
    var store: UUID?

    /// As it is written.
    var name: String { "\(resource.path)/\(key)" }

    /// What there isn't where nothing is found here.
    func missing(among stores: some Sequence<UUID>) -> String {
        guard let store, !stores.contains(store) else { return "There is no \(name.shortened)." }
        return
            "“\(name.shortened)” is named as an object of the store \(store.uuidString), which isn't one of those served here."
    }
}

extension ObjectLocation: Hashable {
    static func == (one: ObjectLocation, other: ObjectLocation) -> Bool {
        one.key == other.key && one.store == other.store && one.resource === other.resource
    }

    func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
