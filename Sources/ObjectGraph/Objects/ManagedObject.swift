// SPDX-License-Identifier: Apache-2.0

// An object of the graph: its identity, its state, its values in slots. What happens to them is the context's business.

public import Predicates

/// An object of a context.
///
/// Subclass it for typed properties and hooks; without a subclass, values are read and set by key.
///
/// Objects are never `Sendable`: they stay in the closure that was handed their context.
open class ManagedObject {
    struct Status: OptionSet {
        let rawValue: UInt8

        /// Nothing of the row has been read yet.
        static let fault = Status(rawValue: 1 << 0)
        static let inserted = Status(rawValue: 1 << 1)
        static let updated = Status(rawValue: 1 << 2)
        static let deleted = Status(rawValue: 1 << 3)
        /// The row is not in the store, and whoever asked has been told.
        static let missing = Status(rawValue: 1 << 4)
        /// The context was reset, and has forgotten it.
        static let forgotten = Status(rawValue: 1 << 5)
    }

    /// What an initializer hands through to the engine.
    public struct Birth {
        let entity: EntityDescription
        let objectID: ManagedObjectID
        let confinement: Confinement
    }

    public internal(set) final var objectID: ManagedObjectID { didSet { leaveArchive() } }
    public final let entity: EntityDescription
    final let confinement: Confinement
    final var status: Status = [] { didSet { leaveArchive() } }
    /// Whether the archive that the context goes on with has the object as it is.
    final var isArchived = false
    /// The committed state; nil for an object that was never saved. A fault that has it is filled without asking the store.
    final var snapshot: Snapshot? { didSet { leaveArchive() } }
    /// The present values; empty in a fault.
    final var row = Row(attributes: [], toOnes: []) { didSet { leaveArchive() } }
    /// The to-many relationships; empty as long as nobody has touched one.
    final var toManys: [ToMany] = [] { didSet { leaveArchive() } }
    /// Which properties were set while no store had the object.
    final var assigned = AssignedProperties() { didSet { leaveArchive() } }
    /// What fetched properties have found, until the object is refreshed.
    final var fetchedObjects: [String: [ManagedObjectID]] = [:]

    /// Called by the engine for each object it makes. What a subclass has to do for a new object belongs into
    /// `awakeFromInsert`.
    public required init(_ birth: Birth) {
        entity = birth.entity
        objectID = birth.objectID
        confinement = birth.confinement
    }

    // MARK: Hooks

    /// The name of the entity that the class stands for.
    open class var entityName: String { String(describing: self) }

    /// Called once for a new object, its default values already set.
    open func awakeFromInsert() {}

    /// Called when a fault has been filled from the store. What is changed here is not tracked.
    open func awakeFromFetch() {}

    /// Called after values were replaced by others than those that were set: by undo, a rollback, a refresh, a merge.
    open func awake(fromSnapshotEvents events: SnapshotEvents) {}

    /// Called when the object is about to be deleted: once for each deletion, be it asked for, by a delete rule, or by the save of a
    /// child context.
    open func prepareForDeletion() {}

    /// Called before a save for each inserted, updated and deleted object, and again as long as anything is changed by it.
    open func willSave() {}

    /// Called after a save for each object that was part of it.
    open func didSave() {}

    /// Called before the values are let go.
    open func willTurnIntoFault() {}

    /// Called after the values were let go.
    open func didTurnIntoFault() {}

    /// Checks a new object: all that the model demands of its values and relationships. Override it for what concerns several
    /// properties, and call `super` first; throw a `ValidationFailure` for one thing that is wrong, or `ValidationFailures`.
    ///
    /// A save makes the model's checks once, whether or not an override calls `super`.
    open func validateForInsert() throws { try checkValues() }

    /// Checks a changed object, as `validateForInsert()` does a new one.
    open func validateForUpdate() throws { try checkValues() }

    /// Checks whether the object may be deleted: no relationship with the delete rule Deny has objects.
    open func validateForDelete() throws { try checkDeletion() }

    /// Checks one value as the model demands, and may put another in its place; by default one of the attribute's own kind, such as a
    /// decimal for an integer. For a relationship the value is a reference, or a list of them.
    open func validate(_ value: inout Value, forKey key: String) throws { try check(&value, forKey: key) }
}

/// Why an object's values are others now than those that were set.
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

@available(*, unavailable, message: "An object belongs to its context. Take values or object IDs out of the closure.")
extension ManagedObject: Sendable {}

extension ManagedObject: Hashable {
    public static func == (one: ManagedObject, other: ManagedObject) -> Bool { one === other }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
