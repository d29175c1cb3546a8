// SPDX-License-Identifier: Apache-2.0

// The protocol of stores that take part in joint saves.

public import FoundationEssentials

/// A store whose saves can be prepared: executed except for the commit, which waits until other stores have prepared
/// theirs. See the invariants of `JointSave`.
///
/// A custom store that ends with the process implements `prepare` and leaves `jointPlace` nil; the rest is for stores
/// that outlive it.
public protocol PreparingStore: PersistentStore {
    /// Where another store finds this one after the end of the process, or nil if it doesn't outlive it.
    var jointPlace: JointSave.Place? { get }

    /// Durably stores the identifier at the store's place. Called on the decider before followers keep records that
    /// name it.
    func keepIdentifier() throws

    /// Executes a save like `save(_:commit:)`, except for the commit. Then it runs the closure with the written rows,
    /// and commits when that returns; if it throws, the save is rolled back and the error is rethrown. No other save
    /// runs in between. Conflicts are returned without running the closure. After the closure has returned, no limits
    /// apply.
    ///
    /// - Parameter role: What to keep: a follower's record, durably before the closure runs and until the commit, or
    ///   the decision, as part of the commit.
    func prepare(
        _ request: StoreSaveRequest,
        as role: JointSave.Role,
        commit: Commit<[Snapshot]>,
        deciding decide: ([Snapshot]) throws -> Void
    ) throws -> StoreSaveResult

    /// The saves that the store has records of.
    func preparedSaves() throws -> [JointSave]

    /// Applies the record of a decided save, or drops that of an undecided one. The closure is called while no other
    /// save can be prepared or committed. Does nothing without a record.
    func finish(_ save: JointSave, isDecided: () throws -> Bool) throws

    /// The saves that the store has decided and not forgotten.
    func decidedSaves() throws -> [JointSave]

    /// Removes a decision, at the latest with the next one.
    func forgetDecision(_ identifier: UUID)
}

extension PreparingStore {
    public var jointPlace: JointSave.Place? { nil }

    public func keepIdentifier() throws {}

    public func preparedSaves() throws -> [JointSave] { [] }

    public func finish(_ save: JointSave, isDecided: () throws -> Bool) throws {}

    public func decidedSaves() throws -> [JointSave] { [] }

    public func forgetDecision(_ identifier: UUID) {}
}
