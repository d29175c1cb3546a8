// SPDX-License-Identifier: Apache-2.0

// The coordinator's part of a save into several stores; see the invariants of `JointSave`.

import FoundationEssentials

/// The part of a save for one store.
struct JointSavePart {
    let store: any PersistentStore
    let request: StoreSaveRequest
    let commit: Commit<[Snapshot]>
}

enum JointSaveOutcome {
    /// The rows that each store has written.
    case saved([UUID: [Snapshot]])
    /// No store was written.
    case conflicts(StoreConflicts)
}

/// A save into several stores, from the first preparation to the last commit.
///
/// Preparations are nested, since each store is held until it commits: the last one to prepare commits first, and
/// decides.
final class JointSaveRun {
    private let preparing: [(store: any PreparingStore, part: JointSavePart)]
    /// The stores that can't prepare.
    private let others: [JointSavePart]
    private let note: PendingNote<[Snapshot]>?
    private let save: JointSave?
    private var rows: [UUID: [Snapshot]] = [:]
    private var refusal: (place: Int, conflicts: StoreConflicts)?
    /// Whether a store has committed, so that all others must.
    private var isDecided = false
    private var written: [UUID] = []
    private var failures: [(store: any PersistentStore, error: GraphError)] = []

    private struct Refused: Error {}

    init(_ parts: [JointSavePart], noting note: PendingNote<[Snapshot]>?) throws(GraphError) {
        var preparing: [(store: any PreparingStore, part: JointSavePart)] = []
        var others: [JointSavePart] = []
        for part in parts {
            if let store = part.store as? any PreparingStore {
                preparing.append((store, part))
            } else {
                others.append(part)
            }
        }
        preparing.sort { Self.precedes($0.store, $1.store) }
        self.preparing = preparing
        self.others = others
        self.note = note
        let places = preparing.compactMap(\.store.jointPlace)
        save =
            places.count < 2
            ? nil
            : places.last.map { decider in
                JointSave(identifier: UUID(), decider: decider, followers: places.dropLast().map(\.store))
            }
        guard note != nil else { return }
        guard others.isEmpty, let last = preparing.last?.store else { throw .noteAcrossStores }
        guard last.keepsNotes else { throw .noteUnkept(last.identifier) }
    }

    /// The order in which stores prepare. Stores that keep nothing come first, so that the last one can decide.
    static func precedes(_ first: any PreparingStore, _ second: any PreparingStore) -> Bool {
        let isKept = (first.jointPlace != nil, second.jointPlace != nil)
        if isKept.0 != isKept.1 { return isKept.1 }
        return first.identifier.uuidString < second.identifier.uuidString
    }

    func run() throws(GraphError) -> JointSaveOutcome {
        do {
            if save != nil { try preparing.last?.store.keepIdentifier() }
            try prepare(from: 0)
        } catch {
            guard let refusal else { throw .ofStore(error) }
            return .conflicts(try conflicts(after: refusal.place, refusal.conflicts))
        }
        try finishFailed()
        if let save, let decider = preparing.last?.store { decider.forgetDecision(save.identifier) }
        return .saved(rows)
    }

    /// Prepares the stores one by one, and commits them in reverse order. Throws only if nothing was committed.
    private func prepare(from place: Int) throws {
        guard place < preparing.count else { return try saveOthers() }
        let (store, part) = preparing[place]
        let isLast = place == preparing.count - 1
        var commit = part.commit
        if isLast { commit.note = completeNote }
        try WorkLimits.check()
        let result: StoreSaveResult
        do {
            result = try store.prepare(part.request, as: role(of: store, isLast: isLast), commit: commit) { written in
                rows[store.identifier] = written
                try prepare(from: place + 1)
            }
        } catch  where isDecided {
            failures.append((store, .ofStore(error)))
            return
        }
        switch result {
        case .saved(let saved):
            rows[store.identifier] = saved
            written.append(store.identifier)
            isDecided = true
        case .conflicts(let conflicts):
            refusal = (place, conflicts)
            throw Refused()
        }
    }

    private func role(of store: any PreparingStore, isLast: Bool) -> JointSave.Role {
        guard let save, store.jointPlace != nil else { return .alone }
        return isLast ? .decider(save) : .follower(save)
    }

    /// The note for the rows of all stores; the last store to prepare keeps it.
    private var completeNote: PendingNote<[Snapshot]>? {
        let former = preparing.dropLast().flatMap { rows[$0.store.identifier] ?? [] }
        return note?.adapted { (own: [Snapshot]) in former + own }
    }

    /// Writes the stores that can't prepare, while the others are held.
    private func saveOthers() throws {
        for (place, part) in others.enumerated() {
            do {
                let result = try isDecided ? WorkLimits.withoutLimits { try save(part) } : save(part)
                switch result {
                case .saved(let saved):
                    rows[part.store.identifier] = saved
                    written.append(part.store.identifier)
                    isDecided = true
                case .conflicts(let conflicts):
                    guard !isDecided else {
                        throw GraphError(.conflict, "Other writers have changed the objects to save.")
                    }
                    refusal = (preparing.count + place, conflicts)
                    throw Refused()
                }
            } catch  where isDecided {
                failures.append((part.store, .ofStore(error)))
            }
        }
    }

    private func save(_ part: JointSavePart) throws -> StoreSaveResult {
        try WorkLimits.check()
        return try part.store.save(part.request, commit: part.commit)
    }

    /// The conflicts of all stores, including those after the first with conflicts, as a single store would report.
    private func conflicts(after place: Int, _ found: StoreConflicts) throws(GraphError) -> StoreConflicts {
        var conflicts = found
        for part in (preparing.map(\.part) + others).dropFirst(place + 1) {
            let result = try GraphError.wrapping { try part.store.rehearse(part.request) }
            if case .conflicts(let more) = result { conflicts.add(more) }
        }
        return conflicts
    }

    /// Retries commits that failed after the decision. If one fails again, the store applies its record before its next
    /// write.
    private func finishFailed() throws(GraphError) {
        var left = failures
        if let save {
            left.removeAll { failure in
                guard let place = preparing.firstIndex(where: { $0.store === failure.store }),
                    (try? preparing[place].store.finish(save, isDecided: { true })) != nil
                else { return false }
                preparing[place].part.commit.notify(of: rows[failure.store.identifier] ?? [])
                return true
            }
        }
        guard let failure = left.first else { return }
        throw .incompleteSave(written: written, failed: failure.store.identifier, failure.error)
    }
}

extension StoreConflicts {
    fileprivate mutating func add(_ others: StoreConflicts) {
        rows.merge(others.rows) { own, _ in own }
        constraints += others.constraints
        dangling += others.dangling
        newReferrers += others.newReferrers
        members += others.members
    }
}

extension PersistentStoreCoordinator {
    /// Finishes saves that an earlier process has left undecided in the attached stores, if the decider is attached
    /// too, and forgets decisions that no store needs. Stores finish the rest before they are written.
    func resolveJointSaves() {
        let stores = stores.compactMap { $0 as? any PreparingStore }
        // Decisions are read first: a record that is missing after that was applied.
        let decided = stores.map { ($0, (try? $0.decidedSaves()) ?? []) }
        var left: Set<UUID> = []
        for store in stores {
            guard let prepared = try? store.preparedSaves() else { return }
            for save in prepared {
                left.insert(save.identifier)
                guard let decider = stores.first(where: { $0.identifier == save.decider.store }) else { continue }
                try? store.finish(save) { try decider.decidedSaves().contains { $0.identifier == save.identifier } }
            }
        }
        let attached = Set(stores.map(\.identifier))
        for (store, saves) in decided {
            for save in saves where !left.contains(save.identifier) && attached.isSuperset(of: save.followers) {
                store.forgetDecision(save.identifier)
            }
        }
    }
}
