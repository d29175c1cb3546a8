// SPDX-License-Identifier: Apache-2.0

// The changes of a request, derived from its body and the model alone.

import FoundationEssentials
import ObjectGraph
import Predicates

/// Objects to insert, change and delete in one save, and the answer.
struct WritePlan: Equatable, Sendable {
    /// The objects of the answer.
    enum Answer: Equatable, Sendable {
        /// The object of one write.
        case object(Int)
        /// The objects of some writes, in order.
        case list([Int])
        /// The answer to a deletion.
        case deletion
        /// The object of each operation of a transaction.
        case operations([Int])

        /// Whether the first write is of the object that the path names.
        var isFromPath: Bool {
            switch self {
            case .object, .deletion: true
            case .list, .operations: false
            }
        }
    }

    /// Each object precedes those nested in it.
    var writes: [ObjectWrite]
    var answer: Answer
    var conditions: Preconditions
    var preferences: Preferences
    var isDryRun = false
    var author: String?
    /// The findings in the body. They are reported together with validation errors.
    var findings = Findings()

    /// Whether a new object changes the object that has its unique values.
    var isUpsert: Bool { preferences.merge.map { $0 != .error } ?? false }

    /// The writes whose objects are in the answer.
    var answered: [Int] {
        switch answer {
        case .object(let index): [index]
        case .list(let indices), .operations(let indices): indices
        case .deletion: [0]
        }
    }
}

/// A write of one object.
struct ObjectWrite: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case insert(Resource)
        case update(ObjectLocation)
        /// An update that sets properties without a value to their defaults.
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
    var place: BodyPosition
    /// The body's temporary name for a new object, `$a`.
    var temporaryName: String?
    /// The former ID of a new object, which it keeps if possible.
    var kept: RetainedReference?
    /// The entity that the body names.
    var entity: Resource?
    /// The version that the change is based on.
    var baseVersion: Int64?
    var changes: [PropertyWrite] = []
    /// The write that it is nested in.
    var parent: Int?
    /// Whether it can't overwrite values that the client hasn't seen.
    var onlyAdds = false
    /// Values that the server sets itself. Access rules for properties don't restrict them.
    var serverValues: [AttributeDescription: Value] = [:]
    /// The password that the account gets; nil if it keeps what it has.
    var password: NewPassword?

    var location: ObjectLocation? { action.location }

    var isInsertion: Bool { location == nil }

    var isDeletion: Bool {
        if case .delete = action { true } else { false }
    }
}

/// A write of one property.
struct PropertyWrite: Equatable, Sendable {
    var property: ResourceProperty
    var change: Change
    var place: BodyPosition

    enum Change: Equatable, Sendable {
        case value(Value)
        /// Changes of a composite's elements.
        case merge([String: ElementChange])
        /// The amount to add to a number.
        case increment(Value)
        /// The property is named and unchanged.
        case keep
        case toOne(Reference?)
        case members([Reference])
        case edit(MembersEdit)
    }
}

/// A change of a composite's element.
indirect enum ElementChange: Equatable, Sendable {
    case value(Value)
    /// The amount to add to a number.
    case increment(Value)
    case merge([String: ElementChange])
}

/// Edits of a to-many relationship that don't affect other members. They are applied in this order.
struct MembersEdit: Equatable, Sendable {
    struct Move: Equatable, Sendable {
        var member: Reference
        var index: Int
    }

    var removed: [Reference] = []
    var added: [Reference] = []
    var moves: [Move] = []
    /// Whether the path names the member; a missing member makes the path not found then.
    var isFromPath = false
}

/// A reference to an object in a body, and its place.
struct Reference: Equatable, Sendable {
    enum Target: Equatable, Sendable {
        case write(Int)
        case temporary(String)
        case stored(ObjectLocation)
        /// The object that has unique values, in the body or in a store.
        case unique(UniqueValues)
    }

    var target: Target
    var place: BodyPosition

    /// The object's name for messages.
    var words: String {
        switch target {
        case .write: "another object"
        case .unique(let values): "the \(values.entity.name) with these unique values"
        case .temporary(let name): name.shortened
        case .stored(let location): location.name.shortened
        }
    }
}

/// The location of an object in a store, as a path or reference names it.
struct ObjectLocation: Sendable {
    /// The object's entity or a superentity.
    let resource: Resource
    /// The object's key in its store.
    let key: String
    /// The store named by a URI, or else the first store that keeps the entity.
    var store: UUID?

    /// The location as text.
    var name: String { "\(resource.path)/\(key)" }

    /// A message for a missing object.
    func missing(among stores: some Sequence<UUID>) -> String {
        guard let store, !stores.contains(store) else { return "There is no object \(name.shortened)." }
        return
            "“\(name.shortened)” refers to the store \(store.uuidString), which this server doesn't serve."
    }
}

extension ObjectLocation: Hashable {
    static func == (one: ObjectLocation, other: ObjectLocation) -> Bool {
        one.key == other.key && one.store == other.store && one.resource === other.resource
    }

    func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
