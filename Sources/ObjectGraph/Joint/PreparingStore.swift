// SPDX-License-Identifier: Apache-2.0

// What the engine asks of a store, so that saves into it and others are done as a whole or not at all.

public import FoundationEssentials

/// A store whose saves can be prepared: done but for the commit, which waits until other stores have prepared theirs. The
/// invariants are those of `JointSave`.
///
/// A store of one's own that ends with the process implements `prepare`, and has `jointPlace` nil; the rest is for stores that are
/// found again.
public protocol PreparingStore: PersistentStore {
    /// How another store finds this one after the end of the process; nil where it isn't there then.
    var jointPlace: JointSave.Place? { get }

    /// Has the place hold the store's identifier, durably. Asked of the decider before followers keep records that name it.
    func keepIdentifier() throws

    /// Does all of a save, as `save(_:commit:)` does, but for the commit. Then it runs a closure with the rows that are
    /// written, and commits once that returns; where it throws, nothing is left and its error is thrown. No other save comes
    /// between. Conflicts are answered without running the closure. Once that has returned, limits no longer hold.
    ///
    /// - Parameter role: What is kept for the next opening: a follower's record, durably before the closure runs and until the
    ///   commit, or the decision, as part of the commit.
    func prepare(
        _ request: StoreSaveRequest,
        as role: JointSave.Role,
        commit: Commit<[Snapshot]>,
        deciding decide: ([Snapshot]) throws -> Void
    ) throws -> StoreSaveResult

    /// The saves that the store has records of.
    func preparedSaves() throws -> [JointSave]

    /// Applies the record of a save that was decided, or drops that of one that was not, as a closure says that is asked while no
    /// other save can be prepared or committed. Nothing is done where there is no record.
    func finish(_ save: JointSave, isDecided: () throws -> Bool) throws

    /// The saves that the store has decided, and not forgotten.
    func decidedSaves() throws -> [JointSave]

    /// Lets a decision go, at the latest with the next one.
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
