// SPDX-License-Identifier: Apache-2.0

// A save into several stores: what is agreed between the coordinator and the stores, so that all of them are written or none.

public import FoundationEssentials

/// A save into several stores that are still there after the process has ended.
//
//     coordinator        store 1 (follower)              store 2 (decider)
//     prepare ─────────▶ record kept, all work done
//             ─────────────────────────────────────────▶ all work done, with the decision
//                                                        commit: this decides
//                        commit, the record goes with it
//     forget  ─────────────────────────────────────────▶ the decision goes with a later one
//
// Invariants:
// 1. No store commits before each has prepared: what a save does to it is done, nothing speaks against it, and its writer waits.
// 2. All coordinators of all processes prepare stores in the same order, `JointSaving.precedes`, and each store is held from when it
//    has prepared to its commit. So two such saves never wait for each other. What waits for a store does so within its limits.
// 3. Before the decider commits, each follower durably has a record of what it is to write, and of which store decides. That store is
//    found by its identifier before a record names it.
// 4. The decider's commit has the decision in it. A record that is found later is applied if the decider has decided that save, and
//    dropped if it has not. It is judged with the writer of its store held, so never while the save goes on.
// 5. A record is removed in the step that commits what it says, so that it is applied once.
// 6. A decision is forgotten once no follower has a record of the save, not before.
// 7. A store with a record whose decider can't be read can be read, as it was before the save, and is not written.
// 8. After the decision no limit holds. Where a follower can't commit, its record is applied as soon as that can be done, before
//    anything else is written there.
//
// A store that can't prepare is written between the last preparation and the first commit. It keeps neither record nor decision: with
// one of them 1 holds while the process lives, and with several `incompleteSave` says which were written.
public struct JointSave: Hashable, Sendable {
    /// Which save; no other has it.
    public let identifier: UUID
    /// The store whose commit decides.
    public let decider: Place
    /// The other stores that keep a record; none in a save that was read from one.
    public let followers: [UUID]

    /// Where a store is found by another one.
    public struct Place: Hashable, Sendable {
        public let store: UUID
        /// The path of its file, if it has one.
        public let path: String?

        public init(store: UUID, path: String?) {
            self.store = store
            self.path = path
        }
    }

    /// What a store keeps of a save, besides the save.
    public enum Role: Hashable, Sendable {
        /// A record, until it commits.
        case follower(JointSave)
        /// The decision, until it is forgotten.
        case decider(JointSave)
        /// Nothing, since no other store would look for it.
        case alone
    }

    public init(identifier: UUID, decider: Place, followers: [UUID] = []) {
        self.identifier = identifier
        self.decider = decider
        self.followers = followers
    }
}
