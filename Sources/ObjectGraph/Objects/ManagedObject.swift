// SPDX-License-Identifier: Apache-2.0

// An object of the graph: its identity, state, and values by slot. Its behavior is in the context.

public import Predicates

/// An object of a context.
///
/// Subclass it for typed properties and hooks; without a subclass, values are accessed by key.
///
/// Objects are never `Sendable`: they stay in the closure that their context was passed to.
open class ManagedObject {
    struct Status: OptionSet {
        let rawValue: UInt8

        /// The row hasn't been read yet.
        static let fault = Status(rawValue: 1 << 0)
        static let inserted = Status(rawValue: 1 << 1)
        static let updated = Status(rawValue: 1 << 2)
        static let deleted = Status(rawValue: 1 << 3)
        /// The row doesn't exist in the store, and the context knows it.
        static let missing = Status(rawValue: 1 << 4)
        /// A delete rule has deleted it, because another object was deleted. Undo leaves this, for redo.
        static let consequence = Status(rawValue: 1 << 5)
        /// The context was reset and doesn't have the object any more.
        static let forgotten = Status(rawValue: 1 << 6)
    }

    /// What reading, edits and merges change in an object. A copy restores it.
    struct State {
        var status: Status = []
        /// The committed row; nil for an object that was never saved. A fault with a snapshot is filled without reading.
        var snapshot: Snapshot?
        /// The present values; empty in a fault.
        var row = Row(attributes: [], toOnes: [])
        /// The to-many relationships; empty until one is used.
        var toManys: [ToMany] = []
        /// The properties set before any store had the object.
        var assigned = AssignedProperties()
    }

    /// Passed by initializers to the engine.
    public struct Birth {
        let entity: EntityDescription
        let objectID: ManagedObjectID
        let confinement: Confinement
    }

    public internal(set) final var objectID: ManagedObjectID { didSet { markChangedSinceArchive() } }
    public final let entity: EntityDescription
    final let confinement: Confinement
    final var state = State() { didSet { markChangedSinceArchive() } }
    /// Whether the context's current archive has the object as it is.
    final var isArchived = false
    /// The results of fetched properties, until the object is refreshed.
    final var fetchedObjects: [String: [ManagedObjectID]] = [:]

    /// Called by the engine for each object that it creates. Use `awakeFromInsert` to initialize new objects.
    public required init(_ birth: Birth) {
        entity = birth.entity
        objectID = birth.objectID
        confinement = birth.confinement
    }

    // MARK: Hooks

    /// The name of the entity that the class represents.
    open class var entityName: String { String(describing: self) }

    /// Called once for a new object, after its default values are set.
    open func awakeFromInsert() {}

    /// Called when a fault has been filled from the store. Changes made here aren't tracked.
    open func awakeFromFetch() {}

    /// Called after undo, a rollback, a refresh or a merge has replaced values.
    open func awake(fromSnapshotEvents events: SnapshotEvents) {}

    /// Called once before each deletion, whether explicit, by a delete rule, or by the save of a child context.
    open func prepareForDeletion() {}

    /// Called before a save for each inserted, updated and deleted object, and again while calls change objects.
    open func willSave() {}

    /// Called after a save for each object that was part of it.
    open func didSave() {}

    /// Called before the values are released.
    open func willTurnIntoFault() {}

    /// Called after the values were released.
    open func didTurnIntoFault() {}

    /// Validates a new object against the model's rules. Override it for rules that involve several properties, and
    /// call `super` first; throw a `ValidationFailure`, or `ValidationFailures` for several.
    ///
    /// A save checks the model's rules once, whether or not an override calls `super`.
    open func validateForInsert() throws { try checkValues() }

    /// Validates a changed object, as `validateForInsert()` does a new one.
    open func validateForUpdate() throws { try checkValues() }

    /// Validates a deletion: relationships with the delete rule Deny must be empty.
    open func validateForDelete() throws { try checkDeletion() }

    /// Validates one value against the model and may replace it; by default it is converted to the attribute's type,
    /// such as an integer to a decimal. For a relationship, the value is a reference or a list of references.
    open func validate(_ value: inout Value, forKey key: String) throws { try check(&value, forKey: key) }
}

/// The reason why values of an object were replaced.
public struct SnapshotEvents: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public static let undoInsertion = SnapshotEvents(rawValue: 2)
    public static let undoDeletion = SnapshotEvents(rawValue: 4)
    public static let undoUpdate = SnapshotEvents(rawValue: 8)
    public static let rollback = SnapshotEvents(rawValue: 16)
    public static let refresh = SnapshotEvents(rawValue: 32)
    public static let mergePolicy = SnapshotEvents(rawValue: 64)
}

@available(*, unavailable, message: "Objects can't leave their context. Take values or object IDs out of the closure.")
extension ManagedObject: Sendable {}

extension ManagedObject: Hashable {
    public static func == (one: ManagedObject, other: ManagedObject) -> Bool { one === other }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
