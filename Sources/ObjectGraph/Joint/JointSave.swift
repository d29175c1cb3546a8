// SPDX-License-Identifier: Apache-2.0

// The protocol between the coordinator and stores for saves into several stores: all are written or none.

public import FoundationEssentials

/// A save into several stores that outlive the process.
//
//     coordinator        store 1 (follower)              store 2 (decider)
//     prepare ─────────▶ record kept, all work done
//             ─────────────────────────────────────────▶ all work done, with the decision
//                                                        commit: this decides
//                        commit, the record goes with it
//     forget  ─────────────────────────────────────────▶ the decision goes with a later one
//
// Invariants:
// 1. No store commits before each has prepared: the store has executed its save without conflicts and holds its writer.
// 2. All coordinators of all processes prepare stores in the same order, `JointSaveRun.precedes`, and each store is held
//    from its preparation to its commit. So two such saves never deadlock. Waiting for a store is subject to the
//    caller's limits.
// 3. Before the decider commits, each follower durably has a record of its changes and of the decider. The decider's
//    place durably has the store's identifier before a record names it.
// 4. The decider's commit contains the decision. A record found later is applied if the decider has decided that save,
//    and dropped otherwise. This is checked while the writer of the record's store is held, so never during the save.
// 5. A record is removed in the transaction that applies it, so it is applied once.
// 6. A decision is forgotten only when no follower has a record of the save any more.
// 7. A store with a record whose decider can't be read is readable in its state before the save, and isn't written.
// 8. After the decision no limit applies. If a follower can't commit, its record is applied as soon as possible, before
//    anything else is written to that store.
//
// A store that can't prepare is written between the last preparation and the first commit. It keeps neither record nor
// decision: with one such store, invariant 1 holds while the process lives, and with several `incompleteSave` names
// those that were written.
public struct JointSave: Hashable, Sendable {
    /// The unique identifier of the save.
    public let identifier: UUID
    /// The store whose commit decides.
    public let decider: Place
    /// The other stores that keep a record; empty in a save read from a record.
    public let followers: [UUID]

    /// Where another store finds a store.
    public struct Place: Hashable, Sendable {
        public let store: UUID
        /// The path of its file, or nil.
        public let path: String?

        public init(store: UUID, path: String?) {
            self.store = store
            self.path = path
        }
    }

    /// What a store keeps about a joint save.
    public enum Role: Hashable, Sendable {
        /// A record, until it commits.
        case follower(JointSave)
        /// The decision, until it is forgotten.
        case decider(JointSave)
        /// Nothing, since no other store depends on it.
        case alone
    }

    public init(identifier: UUID, decider: Place, followers: [UUID] = []) {
        self.identifier = identifier
        self.decider = decider
        self.followers = followers
    }
}
